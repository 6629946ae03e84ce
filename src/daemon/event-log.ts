// The event log: every command, event and signal is taken here before it is published. Called by the registry and the
// client links. It never fails a turn: what the file does not take now waits in memory, in order, and is written later.
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { Emitter, type Event } from '../base/emitter.js';
import type { Log } from '../base/log.js';
import type { RunId, SessionId } from '../model/ids.js';
import type { LogRecord } from '../model/log-record.js';
import { DeltaJoiner, type LoggedEvent } from './delta-joiner.js';
import { projectionOf, typeOf, type SavedReply } from './log-names.js';
import { isCorrupt, moveAside, openStore, whyNotNow, type OpenResult } from './log-open.js';
import type { RecordStore, SavedState } from './log-store.js';

const RETRY_MS = 500;

export interface LogHealth {
  state: 'ok' | 'locked' | 'moved-aside' | 'missing';
  detail?: string;
  /** Records that wait in memory for the file. */
  waiting: number;
}

export type NewRecord = Omit<LogRecord, 'seq' | 'at'> & { at?: number };

export interface EventLogOptions {
  file: string;
  clock: Clock;
  log: Log;
  /** Opens the store; another one in tests. */
  open?: (file: string) => OpenResult;
}

export class EventLog implements Disposable {
  readonly file: string;
  #clock: Clock;
  #diagnostics: Log;
  #open: (file: string) => OpenResult;
  #store: RecordStore | undefined;
  #health: LogHealth = { state: 'ok', waiting: 0 };
  #nextSeq = 1;
  /** Taken in this turn of the event loop, neither written nor published. */
  #batch: LogRecord[] = [];
  /** Published, but the file did not take them. */
  #waiting: LogRecord[] = [];
  #flushTimer: Disposable | undefined;
  #retryTimer: Disposable | undefined;
  #joiner: DeltaJoiner;
  #records = new Emitter<readonly LogRecord[]>();
  #healths = new Emitter<LogHealth>();
  #replaced = new Emitter<void>();
  /** Records in order, once the log has them (on disk, or waiting in memory while the file takes none). */
  readonly onRecords: Event<readonly LogRecord[]> = this.#records.event;
  readonly onHealth: Event<LogHealth> = this.#healths.event;
  /** The file was corrupt and is a new, empty one: whoever holds state saves it again. */
  readonly onReplaced: Event<void> = this.#replaced.event;

  constructor(options: EventLogOptions) {
    this.file = options.file;
    this.#clock = options.clock;
    this.#diagnostics = options.log;
    this.#open = options.open ?? ((file) => openStore(file));
    this.#joiner = new DeltaJoiner(options.clock, (entry) => this.#appendEvent(entry));
    // Nobody knows the last seq of a file that cannot be read; the time is above any count of records.
    if (!this.#openStore()) this.#nextSeq = Math.max(1, this.#clock.now());
  }

  /** False while the file could not be opened since the start: `state` knows nothing yet. */
  get isOpen(): boolean {
    return this.#store !== undefined;
  }

  get health(): LogHealth {
    return this.#health;
  }

  /** Takes a record. It is written and published at the end of this turn of the event loop, or by `flush`. */
  append(entry: NewRecord): LogRecord {
    this.#joiner.flush(entry.sessionId);
    return this.#push(entry);
  }

  /** Takes an event; pieces of text are joined, so it may become part of a later record. */
  appendEvent(entry: LoggedEvent): void {
    this.#joiner.add(entry);
  }

  /** Writes and publishes all that was taken, joined pieces of text excepted. */
  flush(): void {
    this.#flushTimer?.dispose();
    this.#flushTimer = undefined;
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#waiting.push(...batch);
    this.#write();
    this.#records.fire(batch);
  }

  /** Records of a session after `after`, oldest first, also those that still wait for the file. */
  read(sessionId: SessionId, after: number, limit: number): LogRecord[] {
    this.flush();
    const stored = this.#ask((store) => store.read(sessionId, after, limit), []);
    const waiting = this.#waiting.filter((r) => r.sessionId === sessionId && r.seq > after);
    return [...stored, ...waiting].slice(0, limit);
  }

  /** The newest `limit` records of these types, oldest first. */
  readTypes(sessionId: SessionId, types: readonly string[], limit: number): LogRecord[] {
    this.flush();
    const stored = this.#ask((store) => store.readTypes(sessionId, types, limit), []);
    const waiting = this.#waiting.filter((r) => r.sessionId === sessionId && types.includes(typeOf(r.body)));
    return [...stored, ...waiting].slice(-limit);
  }

  /** The records of everything after `after`, oldest first: for `log export`. */
  readAll(after: number, limit: number): LogRecord[] {
    this.flush();
    const stored = this.#ask((store) => store.readAll(after, limit), []);
    return [...stored, ...this.#waiting.filter((r) => r.seq > after)].slice(0, limit);
  }

  /** Undefined: a command never seen. Null: taken, and its outcome was never written (the daemon died meanwhile). */
  reply(commandId: string): SavedReply | null | undefined {
    let found = this.#ask((store) => store.reply(commandId), undefined);
    for (const record of [...this.#waiting, ...this.#batch]) {
      const projection = projectionOf(record);
      if (projection?.table === 'commands' && projection.id === commandId) found = projection.reply ?? null;
    }
    return found;
  }

  marks(runId: RunId): { stdout: number; stderr: number } {
    return this.#ask((store) => store.marks(runId), { stdout: 0, stderr: 0 });
  }

  /** What was saved; undefined when the file cannot be read now. */
  state(): SavedState | undefined {
    return this.#ask((store) => store.state(), undefined);
  }

  /** Writes what can be written and closes the file. */
  dispose(): void {
    this.#joiner.flushAll();
    this.flush();
    this.#retryTimer?.dispose();
    if (this.#waiting.length > 0) {
      this.#diagnostics.error('records were not written', { count: this.#waiting.length });
    }
    this.#store?.close();
    this.#store = undefined;
  }

  #appendEvent({ event, attempt, mark }: LoggedEvent): void {
    const { sessionId, runId, turnId, at, ...body } = event;
    this.#push({
      at,
      sessionId,
      runId,
      attempt,
      body: { kind: 'event', event: body, ...(turnId ? { turnId } : {}) },
      ...(mark ? { mark } : {}),
    });
  }

  #push(entry: NewRecord): LogRecord {
    const record: LogRecord = { ...entry, seq: this.#nextSeq++, at: entry.at ?? this.#clock.now() };
    this.#batch.push(record);
    this.#flushTimer ??= this.#clock.after(0, () => this.flush());
    return record;
  }

  #write(): void {
    if (!this.#store && !this.#openStore()) return;
    try {
      this.#store!.write(this.#waiting);
      this.#waiting = [];
      if (this.#health.state === 'locked') this.#setHealth({ state: 'ok', waiting: 0 });
    } catch (error) {
      if (isCorrupt(error)) this.#replace();
      else this.#wait(whyNotNow(error));
    }
  }

  /** The file went bad under us: move it aside, begin a new one, and have the state saved into it. */
  #replace(): void {
    this.#store?.close();
    this.#store = undefined;
    try {
      const aside = moveAside(this.file);
      this.#openStore();
      this.#setHealth({ state: 'moved-aside', detail: aside, waiting: this.#waiting.length });
    } catch (error) {
      this.#wait(whyNotNow(error));
      return;
    }
    if (this.#store) this.#write();
    this.#replaced.fire();
  }

  #openStore(): boolean {
    const opened = this.#open(this.file);
    if (opened.state === 'locked') {
      this.#wait(opened.detail);
      return false;
    }
    this.#store = opened.store;
    this.#nextSeq = Math.max(this.#nextSeq, opened.store.maxSeq() + 1);
    const detail = opened.state === 'ok' ? {} : { detail: opened.detail };
    this.#setHealth({ state: opened.state, ...detail, waiting: this.#waiting.length });
    return true;
  }

  #wait(detail: string): void {
    this.#setHealth({ state: 'locked', detail, waiting: this.#waiting.length });
    this.#retryTimer?.dispose();
    this.#retryTimer = this.#clock.after(RETRY_MS, () => {
      this.#retryTimer = undefined;
      this.#write();
    });
  }

  #setHealth(health: LogHealth): void {
    const before = this.#health;
    this.#health = health;
    if (before.state === health.state && before.detail === health.detail) return;
    this.#diagnostics.info('event log', { ...health });
    this.#healths.fire(health);
  }

  /** A read that fails leaves what is in memory; the words go to the diagnostics. */
  #ask<T>(question: (store: RecordStore) => T, otherwise: T): T {
    if (!this.#store) return otherwise;
    try {
      return question(this.#store);
    } catch (error) {
      this.#diagnostics.error('the log could not be read', { error });
      return otherwise;
    }
  }
}
