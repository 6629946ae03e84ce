// Asks the host terminal once what it is and what it can do. Sent before the first paint, never waited for by it: answers
// come when they come, the DA1 behind them says that no more will. Called by the client's start.
import type { Clock } from '../../base/clock.js';
import type { Event } from '../../base/emitter.js';
import type { HostReply } from '../../model/key.js';
import type { HostCaps } from '../../wire/messages.js';
import { envCaps, learn, type HostEnv } from './caps.js';

/** A link with a round trip longer than this is served by the guess until the answers come. */
const PROBE_LIMIT_MS = 2000;

/** A glyph of two bytes: a host that takes UTF-8 answers column 2, one that does not column 3. Erased at once. */
const UTF8_TEST = '\x1b[H\u00e9\x1b[6n\x1b[H\x1b[K';
const QUESTIONS =
  '\x1b[>q\x1b[?u\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[?2026$p\x1b[?69$p\x1b[16t\x1b[>c' + UTF8_TEST;
const FENCE = '\x1b[c';

export interface ProbeTerminal {
  /** Writes a query; `expect` is what ends its answers (DA1), `cursorReports` how many CPRs are due. */
  query(text: string, expect: 'da1' | 'dsr', cursorReports?: number): void;
  readonly onReply: Event<HostReply>;
}

export interface Probe {
  /** What is known so far: the environment's guess until answers came. */
  readonly caps: HostCaps;
  /** Resolves with all answers, or with what came within two seconds. Never rejects. */
  readonly done: Promise<HostCaps>;
}

export function probeHost(terminal: ProbeTerminal, env: HostEnv, clock: Clock): Probe {
  let caps = envCaps(env);
  // Consoles print what they do not know; DA1 alone is safe everywhere.
  const isFull = caps.scrollRegions !== false;
  const done = new Promise<HostCaps>((resolve) => {
    const end = () => {
      subscription.dispose();
      timer.dispose();
      resolve(caps);
    };
    const timer = clock.after(PROBE_LIMIT_MS, end);
    const subscription = terminal.onReply((reply) => {
      caps = reply.kind === 'cursor' ? learnUtf8(caps, reply.col) : learn(caps, reply, env);
      if (reply.kind === 'da1') end();
    });
    terminal.query(isFull ? QUESTIONS + FENCE : FENCE, 'da1', isFull ? 1 : 0);
  });
  return {
    get caps() {
      return caps;
    },
    done,
  };
}

/** `column` is 0-based: one glyph, or the two that its bytes are to a host without UTF-8. */
function learnUtf8(caps: HostCaps, column: number): HostCaps {
  if (column === 1) return { ...caps, utf8: true, unicode: true };
  return column === 2 ? { ...caps, utf8: false, unicode: false } : caps;
}
