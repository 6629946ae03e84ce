// Process groups: who is in one, when a process was started, and signals to all of it. A pid alone proves nothing, it is
// given again; pid and start time together name one process. Used by the keeper, pty.ts and child.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';

export interface ProcessStat {
  pid: number;
  state: string;
  group: number;
  session: number;
  /** The group in the foreground of its terminal; -1 without a terminal. */
  foreground: number;
  /** Opaque; equal only for the same process (within one boot). On Linux: clock ticks since boot. */
  startTime: string;
}

/** What the system says about a process; undefined when there is none. */
export function statOf(pid: number): ProcessStat | undefined {
  if (process.platform !== 'linux') return psStatOf(pid);
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // No such process: it ended between two looks.
    return undefined;
  }
  // The name in parentheses may hold anything, also spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    state: fields[0] ?? '?',
    group: Number(fields[2]),
    session: Number(fields[3]),
    foreground: Number(fields[5]),
    startTime: fields[19] ?? '',
  };
}

function psStatOf(pid: number): ProcessStat | undefined {
  const args = ['-o', 'state=,pgid=,sess=,tpgid=,lstart=', '-p', String(pid)];
  const words = spawnSync('ps', args, { encoding: 'utf8' }).stdout?.trim().split(/\s+/) ?? [];
  if (words.length < 5) return undefined;
  const [state, group, session, foreground, ...start] = words;
  return {
    pid,
    state: state!.charAt(0),
    group: Number(group),
    session: Number(session) || Number(group),
    foreground: Number(foreground),
    startTime: start.join(' '),
  };
}

/** The living (not zombie) members of a group. Elsewhere than on Linux only the leader is looked at. */
export function groupMembers(group: number): ProcessStat[] {
  if (process.platform !== 'linux') {
    const leader = statOf(group);
    return leader && leader.state !== 'Z' ? [leader] : [];
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat): stat is ProcessStat => stat?.group === group && stat.state !== 'Z');
}

/** True while a living process is in the group; zombies that nobody reaps do not count. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    // EPERM: members there are, but not ours to signal.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return process.platform === 'linux' ? groupMembers(group).length > 0 : true;
}

/** True when this very process (same start time) is alive. */
export function isSameProcess(pid: number, startTime: string): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== 'Z' && stat.startTime === startTime;
}

/** Signals every member; false when there is none or the signal has no such name. */
export function signalGroup(group: number, signal: string): boolean {
  if (!(signal in constants.signals)) return false;
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    // ESRCH: the group is empty, which is what most callers want anyway.
    return false;
  }
}

export function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

/** Names this boot of the machine: start times of different boots must not be compared. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Not Linux: lstart is wall clock there and may be compared over boots.
    return 'any';
  }
}
