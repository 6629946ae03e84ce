// The transcripts one client follows: the log after a number, then what comes. It reads on from the log when the socket has
// room, so a slow client costs no memory and misses nothing. Made and called by the client link.
import type { SessionId } from '../model/ids.js';
import type { AgentEvent } from '../model/event.js';
import type { LogRecord } from '../model/log-record.js';
import type { EventLog } from './event-log.js';

/** Records read at once: about a screenful of history, some 100 KiB. */
const PAGE = 500;

export interface FollowedEvent {
  seq: number;
  event: AgentEvent;
}

export interface EventFeedOptions {
  log: EventLog;
  canSend(): boolean;
  send(sessionId: SessionId, records: FollowedEvent[], live: boolean): void;
}

interface Followed {
  after: number;
  /** The client has everything up to `after`, and that is all there is. */
  live: boolean;
}

export class EventFeed {
  #options: EventFeedOptions;
  #followed = new Map<SessionId, Followed>();

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  follow(sessionId: SessionId, after: number): void {
    this.#followed.set(sessionId, { after, live: false });
    this.pump();
  }

  unfollow(sessionId: SessionId): void {
    this.#followed.delete(sessionId);
  }

  /** New records of any session. */
  published(records: readonly LogRecord[]): void {
    for (const [sessionId, followed] of this.#followed) {
      if (!followed.live) continue;
      const own = records.filter((record) => record.sessionId === sessionId);
      if (own.length === 0) continue;
      if (!this.#options.canSend()) {
        followed.live = false;
        continue;
      }
      followed.after = own.at(-1)!.seq;
      const events = own.flatMap(toFollowed);
      if (events.length > 0) this.#options.send(sessionId, events, true);
    }
  }

  /** Goes on reading for those who are behind, as long as there is room. */
  pump(): void {
    for (const [sessionId, followed] of this.#followed) {
      while (!followed.live && this.#options.canSend()) this.#sendPage(sessionId, followed);
    }
  }

  #sendPage(sessionId: SessionId, followed: Followed): void {
    const page = this.#options.log.read(sessionId, followed.after, PAGE);
    followed.after = page.at(-1)?.seq ?? followed.after;
    followed.live = page.length < PAGE;
    this.#options.send(sessionId, page.flatMap(toFollowed), followed.live);
  }
}

function toFollowed(record: LogRecord): FollowedEvent[] {
  const { seq, at, sessionId, runId, body } = record;
  if (body.kind !== 'event' || runId === undefined) return [];
  const turn = body.turnId ? { turnId: body.turnId } : {};
  return [{ seq, event: { ...body.event, sessionId, runId, at, ...turn } }];
}
