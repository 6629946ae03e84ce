// The status word of a session. ONE function derives it; the screen, `ls` and JSON all read it.
import type { Failure } from './failure.js';
import type { RunStatus, TurnState } from './session.js';

export const STATUS_WORDS = [
  'starting',
  'working',
  'needs-you',
  'done',
  'idle',
  'failed',
  'stopped',
  'exited',
  'unknown',
] as const;
export type StatusWord = (typeof STATUS_WORDS)[number];

/** Word, glyph (and ASCII stand-in) and colour role of each status. Status is never told by colour alone. */
export const STATUS_TABLE: Record<
  StatusWord,
  { label: string; glyph: string; ascii: string; color: string }
> = {
  starting: { label: 'starting', glyph: '◌', ascii: '.', color: 'cyan' },
  working: { label: 'working', glyph: '●', ascii: '*', color: 'blue' },
  'needs-you': { label: 'needs you', glyph: '◆', ascii: '!', color: 'yellow' },
  done: { label: 'done', glyph: '✓', ascii: '+', color: 'green' },
  idle: { label: 'idle', glyph: '○', ascii: 'o', color: 'gray' },
  failed: { label: 'failed', glyph: '✗', ascii: 'x', color: 'red' },
  stopped: { label: 'stopped', glyph: '■', ascii: '#', color: 'magenta' },
  exited: { label: 'exited', glyph: '·', ascii: '-', color: 'gray' },
  unknown: { label: 'unknown', glyph: '?', ascii: '?', color: 'gray' },
};

export interface StatusInput {
  /** The latest run, or undefined when the session never ran. */
  run?: { status: RunStatus; exitCode?: number; failure?: Failure };
  /** The latest turn of a structured session. */
  turn?: { state: TurnState };
  /** Open permissions and questions. */
  openRequests: number;
  /** True for a session whose screen is its own (terminal tier). */
  terminal: boolean;
  /** True for a plain shell or command line: running is simply "working" when it says so, else unknown. */
  programState?: 'idle' | 'working' | 'done' | 'blocked' | 'error';
  /** True when somebody looked at the pane since the last end of a turn or program. */
  seen: boolean;
}

export function deriveStatus(input: StatusInput): StatusWord {
  const { run } = input;
  if (!run) return 'stopped';
  if (run.status === 'starting') return 'starting';
  if (run.status === 'stopped') return 'stopped';
  if (run.status === 'failed' || run.status === 'lost') return 'failed';
  const turn = input.turn?.state;
  if (run.status === 'exited') return exitedStatus(input);
  if (input.openRequests > 0) return 'needs-you';
  if (input.terminal) return programStatus(input);
  if (turn === 'running' || turn === 'queued') return 'working';
  if (turn === 'failed') return 'failed';
  if (turn === 'done') return input.seen ? 'idle' : 'done';
  return 'idle';
}

function exitedStatus(input: StatusInput): StatusWord {
  if (input.turn?.state === 'failed') return 'failed';
  if (input.turn?.state === 'done') return input.seen ? 'idle' : 'done';
  return 'exited';
}

function programStatus(input: StatusInput): StatusWord {
  switch (input.programState) {
    case 'working':
      return 'working';
    case 'blocked':
      return 'needs-you';
    case 'error':
      return 'failed';
    case 'done':
      return input.seen ? 'idle' : 'done';
    case 'idle':
      return 'idle';
    case undefined:
      return 'unknown';
  }
}

/** The status a person must look at first comes first: what `prefix g` and sorted lists use. */
export const STATUS_URGENCY: readonly StatusWord[] = [
  'needs-you',
  'failed',
  'done',
  'working',
  'starting',
  'unknown',
  'idle',
  'stopped',
  'exited',
];
