// Doctor's look at the host terminal, by its environment: colours, keys, clipboard, synchronized output, and a multiplexer
// around us with its settings. What only the terminal itself can say is asked at attach, not here.
import { runCommand } from '../io/run-command.js';
import { findExecutables, splitPath } from '../io/env.js';
import { info, ok, warning, type Finding } from './doctor-finding.js';

/** What programs that name themselves can do (their documentation, late 2026). */
const KNOWN_TERMINALS: Record<string, { keys: boolean; sync: boolean; clipboard: boolean }> = {
  ghostty: { keys: true, sync: true, clipboard: true },
  kitty: { keys: true, sync: true, clipboard: true },
  WezTerm: { keys: true, sync: true, clipboard: true },
  'iTerm.app': { keys: true, sync: true, clipboard: true },
  alacritty: { keys: true, sync: true, clipboard: true },
  foot: { keys: true, sync: true, clipboard: true },
  rio: { keys: true, sync: true, clipboard: true },
  vscode: { keys: true, sync: true, clipboard: true },
  WarpTerminal: { keys: true, sync: true, clipboard: true },
  Apple_Terminal: { keys: false, sync: false, clipboard: false },
};

export function checkTerminal(env: NodeJS.ProcessEnv): Finding[] {
  const findings: Finding[] = [];
  if (!process.stdout.isTTY || !process.stdin.isTTY)
    findings.push(
      info('terminal.tty', 'This is not a terminal: what follows is only what the environment says'),
    );
  const term = env['TERM'] ?? '';
  if (term === '' || term === 'dumb')
    findings.push(
      warning('terminal.term', `TERM is ${term === '' ? 'not set' : '"dumb"'}: nothing can be drawn`, {
        cure: 'Start agentile in a terminal; over SSH use "ssh -t".',
      }),
    );
  findings.push(colourFinding(env, term), localeFinding(env), ...abilityFindings(env, term));
  return findings;
}

function colourFinding(env: NodeJS.ProcessEnv, term: string): Finding {
  if (env['NO_COLOR']) return info('terminal.colours', 'NO_COLOR is set: agentile draws without colours');
  if (/^(truecolor|24bit)$/.test(env['COLORTERM'] ?? '') || /-direct$|kitty|ghostty/.test(term))
    return ok('terminal.colours', 'True colour');
  const words = /256color/.test(term) ? '256 colours' : '16 colours';
  return info('terminal.colours', words, {
    detail: 'COLORTERM is not "truecolor"; SSH does not pass it on by itself.',
    cure: 'If your terminal has true colour: add "SendEnv COLORTERM" to ~/.ssh/config (and AcceptEnv on the server), or export COLORTERM=truecolor.',
  });
}

function localeFinding(env: NodeJS.ProcessEnv): Finding {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  if (/utf-?8/i.test(locale)) return ok('terminal.locale', `UTF-8 (${locale})`);
  return warning('terminal.locale', `The locale is ${locale || 'not set'}: glyphs and borders become ASCII`, {
    cure: 'export LANG=C.UTF-8',
  });
}

function abilityFindings(env: NodeJS.ProcessEnv, term: string): Finding[] {
  const name = terminalName(env, term);
  if (name === undefined || env['TMUX'] || env['STY']) return [];
  const known = KNOWN_TERMINALS[name];
  if (!known)
    return [info('terminal.abilities', `The terminal is ${name}: what it can do is asked when you attach`)];
  const lacks = [
    known.keys ? '' : 'Shift+Enter and other new keys (use Alt+Enter or Ctrl+J)',
    known.sync ? '' : 'synchronized output (some flicker)',
    known.clipboard ? '' : 'OSC 52 (copying from a pane over SSH)',
  ].filter(Boolean);
  if (lacks.length === 0)
    return [ok('terminal.abilities', `${name}: new keys, synchronized output, clipboard`)];
  return [info('terminal.abilities', `${name} lacks ${lacks.join('; ')}`)];
}

function terminalName(env: NodeJS.ProcessEnv, term: string): string | undefined {
  if (env['KITTY_WINDOW_ID'] || /kitty/.test(term)) return 'kitty';
  if (/ghostty/.test(term)) return 'ghostty';
  if (/^(alacritty|foot|rio)/.test(term)) return /^[a-z]+/.exec(term)?.[0];
  if (env['WT_SESSION']) return 'Windows Terminal';
  return env['TERM_PROGRAM'] || undefined;
}

/** A tmux option that agentile needs: how it is read, when it is good, and the line that cures it. */
const TMUX_OPTIONS: { option: string; scope: '-sv' | '-gv'; good: RegExp; why: string; cure: string }[] = [
  {
    option: 'extended-keys',
    scope: '-sv',
    good: /^(on|always)$/,
    why: 'Shift+Enter arrives as Enter',
    cure: 'set -s extended-keys on',
  },
  {
    option: 'escape-time',
    scope: '-sv',
    good: /^\d{1,2}$/,
    why: 'Escape is felt late',
    cure: 'set -s escape-time 10',
  },
  {
    option: 'set-clipboard',
    scope: '-sv',
    good: /^(on|external)$/,
    why: 'copying from a pane does not reach your clipboard',
    cure: 'set -s set-clipboard on',
  },
  {
    option: 'focus-events',
    scope: '-gv',
    good: /^on$/,
    why: 'agentile does not know when you look away',
    cure: 'set -g focus-events on',
  },
  {
    option: 'default-terminal',
    scope: '-gv',
    good: /256color/,
    why: 'colours are few',
    cure: 'set -g default-terminal "tmux-256color"',
  },
];

export async function checkMultiplexer(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  if (env['STY'])
    return [
      warning('mux.screen', 'You are inside GNU screen', {
        detail: 'It has no true colour, no new keys and no clipboard passing in most versions.',
        cure: 'Detach from screen first: agentile keeps your agents by itself.',
      }),
    ];
  if (env['ZELLIJ'])
    return [
      info('mux.zellij', 'You are inside Zellij', {
        cure: 'Lock it (Ctrl+G) so that its keys do not come first.',
      }),
    ];
  if (!env['TMUX']) return [ok('mux.none', 'No other multiplexer around')];
  const tmux = findExecutables('tmux', splitPath(env['PATH']))[0];
  if (!tmux)
    return [info('mux.tmux', 'You are inside tmux, and tmux is not on PATH: its options are not known')];
  const findings: Finding[] = [
    info('mux.tmux', 'You are inside tmux', {
      detail: 'agentile keeps your agents by itself; tmux is not needed around it.',
    }),
  ];
  for (const { option, scope, good, why, cure } of TMUX_OPTIONS) {
    const outcome = await runCommand(tmux, ['show-options', scope, option], { env, timeoutMs: 2000 });
    const value = outcome.output.trim();
    if (outcome.exitCode !== 0 || good.test(value)) continue;
    findings.push(
      warning(`mux.tmux.${option}`, `tmux: ${option} is ${value || 'not set'}: ${why}`, {
        cure: `Add "${cure}" to ~/.tmux.conf, then "tmux source ~/.tmux.conf".`,
      }),
    );
  }
  return findings;
}
