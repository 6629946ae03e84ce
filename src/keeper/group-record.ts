// Writes down the process groups of the children, so that a keeper that comes after a dead one can end what it left
// behind. Used by children.ts and main.ts. A group is named by pid and start time within one boot: a pid alone proves nothing.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { bootId, groupMembers, isGroupAlive, signalGroup, statOf } from '../io/process-group.js';

interface GroupEntry {
  /** Pid of the leader, and so the number of its group and session. */
  pid: number;
  startTime: string;
  childId: string;
}

interface GroupFile {
  boot: string;
  groups: GroupEntry[];
}

/** Between SIGTERM and SIGKILL for what a dead keeper left. */
const SWEEP_GRACE_MS = 3000;
const SWEEP_LOOK_MS = 50;

export class GroupRecord {
  #file: string | undefined;
  #log: Log;
  #boot = bootId();
  #groups = new Map<number, GroupEntry>();
  #left: GroupEntry[] = [];

  /** Without a file nothing is written (children of a process that ends them itself). */
  constructor(file: string | undefined, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** Called right after the start; does nothing when the process is gone already. */
  add(pid: number, childId: string): void {
    const stat = statOf(pid);
    if (!stat) return;
    this.#groups.set(pid, { pid, startTime: stat.startTime, childId });
    this.#write();
  }

  /** Drops groups that are empty. */
  prune(): void {
    const gone = [...this.#groups.keys()].filter((pid) => !isGroupAlive(pid));
    if (gone.length === 0) return;
    for (const pid of gone) this.#groups.delete(pid);
    this.#write();
  }

  /** Reads what a dead keeper wrote. Called once we are the only keeper, before the first `add`. */
  takeOver(): void {
    this.#left = this.#readLeft();
  }

  /** Ends what a dead keeper left: SIGTERM, then SIGKILL. Resolves with the number of groups found alive. */
  async sweep(clock: Clock): Promise<number> {
    const left = this.#left;
    for (const entry of left) {
      this.#log.warn('ending a group that a dead keeper left', { pid: entry.pid, child: entry.childId });
      signalGroup(entry.pid, 'SIGHUP');
      signalGroup(entry.pid, 'SIGTERM');
      // A stopped process hears neither.
      signalGroup(entry.pid, 'SIGCONT');
    }
    const deadline = clock.now() + SWEEP_GRACE_MS;
    const lives = () => left.filter((entry) => isGroupAlive(entry.pid));
    while (lives().length > 0 && clock.now() < deadline) {
      await new Promise<void>((resolve) => clock.after(SWEEP_LOOK_MS, resolve));
    }
    for (const entry of lives()) signalGroup(entry.pid, 'SIGKILL');
    this.#left = [];
    this.#write();
    return left.length;
  }

  #readLeft(): GroupEntry[] {
    if (!this.#file) return [];
    let file: GroupFile;
    try {
      file = JSON.parse(readFileSync(this.#file, 'utf8')) as GroupFile;
    } catch (error) {
      // No file is the usual case; an unreadable one cannot name a process for certain.
      this.#log.debug('no record of groups', { reason: messageOf(error) });
      return [];
    }
    if (file.boot !== this.#boot || !Array.isArray(file.groups)) return [];
    return file.groups.filter(isStillTheirs);
  }

  #write(): void {
    if (!this.#file) return;
    const all = [...this.#left, ...this.#groups.values()];
    const text = JSON.stringify({ boot: this.#boot, groups: all } satisfies GroupFile);
    try {
      if (all.length === 0) {
        rmSync(this.#file, { force: true });
        return;
      }
      writeFileSync(`${this.#file}.new`, text, { mode: 0o600 });
      renameSync(`${this.#file}.new`, this.#file);
    } catch (error) {
      // A full disk must not keep an agent from starting: only the sweep after a crash is lost.
      this.#log.error('the record of groups could not be written', { reason: messageOf(error) });
    }
  }
}

/**
 * The leader lives and is the very process that was recorded; or it is gone and members remain in its group and session
 * (a number is not given again while it names a group), none of them older than it.
 */
function isStillTheirs(entry: GroupEntry): boolean {
  if (!Number.isInteger(entry.pid) || entry.pid <= 1) return false;
  const leader = statOf(entry.pid);
  if (leader) return leader.startTime === entry.startTime && isGroupAlive(entry.pid);
  const members = groupMembers(entry.pid);
  return (
    members.length > 0 &&
    members.every((m) => m.session === entry.pid && Number(m.startTime) >= Number(entry.startTime))
  );
}
