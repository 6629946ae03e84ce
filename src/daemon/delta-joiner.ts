// Joins the small pieces of streamed text into fewer records: at most 30 ms or 4 KiB of one message in one record.
// Called by the event log, for every event of every session; keeps their order.
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { AgentEvent } from '../model/event.js';
import type { SessionId } from '../model/ids.js';
import type { ByteMark } from '../model/log-record.js';

/** A person does not see 30 ms; a provider that streams 100 pieces a second then costs 30 records. */
export const JOIN_MS = 30;
export const JOIN_BYTES = 4096;

export interface LoggedEvent {
  event: AgentEvent;
  attempt: number;
  mark?: ByteMark;
}

interface Waiting {
  entry: LoggedEvent;
  key: string;
  pieces: string[];
  bytes: number;
  timer: Disposable;
}

export class DeltaJoiner {
  #clock: Clock;
  #emit: (entry: LoggedEvent) => void;
  #waiting = new Map<SessionId, Waiting>();

  constructor(clock: Clock, emit: (entry: LoggedEvent) => void) {
    this.#clock = clock;
    this.#emit = emit;
  }

  /** Takes an event; what is not a piece of the same message goes out behind what waited. */
  add(entry: LoggedEvent): void {
    const { sessionId } = entry.event;
    const piece = pieceOf(entry.event);
    const waiting = this.#waiting.get(sessionId);
    if (waiting && waiting.key === piece?.key) {
      waiting.pieces.push(piece.text);
      waiting.bytes += piece.text.length;
      if (entry.mark) waiting.entry = { ...waiting.entry, mark: entry.mark };
    } else {
      this.flush(sessionId);
      if (!piece) {
        this.#emit(entry);
        return;
      }
      const timer = this.#clock.after(JOIN_MS, () => this.flush(sessionId));
      this.#waiting.set(sessionId, {
        entry,
        key: piece.key,
        pieces: [piece.text],
        bytes: piece.text.length,
        timer,
      });
    }
    if ((this.#waiting.get(sessionId)?.bytes ?? 0) >= JOIN_BYTES) this.flush(sessionId);
  }

  flush(sessionId: SessionId): void {
    const waiting = this.#waiting.get(sessionId);
    if (!waiting) return;
    this.#waiting.delete(sessionId);
    waiting.timer.dispose();
    const { entry } = waiting;
    this.#emit({ ...entry, event: withText(entry.event, waiting.pieces.join('')) });
  }

  flushAll(): void {
    for (const sessionId of [...this.#waiting.keys()]) this.flush(sessionId);
  }
}

/** The text an event adds to a message or a tool's output, and which one; null when it does anything else. */
function pieceOf(event: AgentEvent): { key: string; text: string } | null {
  const { type, runId, turnId } = event;
  if (type === 'text' || type === 'thought') {
    if (event.delta === undefined || event.final !== undefined) return null;
    return { key: JSON.stringify([type, runId, turnId, event.messageId, event.parentId]), text: event.delta };
  }
  if (type === 'tool.updated' && event.outputDelta !== undefined && Object.keys(event.patch).length === 0) {
    return { key: JSON.stringify([type, runId, turnId, event.toolCallId]), text: event.outputDelta };
  }
  return null;
}

function withText(event: AgentEvent, text: string): AgentEvent {
  if (event.type === 'text' || event.type === 'thought') return { ...event, delta: text };
  if (event.type === 'tool.updated') return { ...event, outputDelta: text };
  return event;
}
