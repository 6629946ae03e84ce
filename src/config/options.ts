// Every setting, as a table: name, type, default, what it does. The settings file is checked against it, `config get/set`
// read it, docs/settings.md is generated from it. A new setting is a row here and nothing else.

export type OptionType =
  | { kind: 'boolean' }
  | { kind: 'integer'; min: number; max: number }
  | { kind: 'number'; min: number; max: number }
  | { kind: 'text'; maxChars?: number }
  | { kind: 'choice'; of: readonly string[] }
  /** A list of texts. */
  | { kind: 'list' }
  /** A table of names to texts, or to lists of texts. */
  | { kind: 'table' };

export interface OptionRow {
  /** Dotted name: the table and the key in config.toml. */
  name: string;
  type: OptionType;
  default: OptionValue;
  /** One or two sentences for people. */
  doc: string;
  /** Never printed in full. */
  secret?: boolean;
}

export type OptionValue = boolean | number | string | string[] | Record<string, string | string[]>;

const onOffAuto = ['auto', 'on', 'off'] as const;

export const OPTIONS = [
  {
    name: 'keys.prefix',
    type: { kind: 'text', maxChars: 40 },
    default: 'ctrl+]',
    doc: 'The key that comes before all others. Typed twice it is sent to the program.',
  },
  {
    name: 'keys.bindings',
    type: { kind: 'table' },
    default: {},
    doc: 'Overrides of single bindings: action = "key", ["key", …] or "" to unbind. The help (prefix ?) lists the actions; "prefix x" means x after the prefix.',
  },
  {
    name: 'screen.colors',
    type: { kind: 'choice', of: ['auto', 'none', '16', '256', 'truecolor'] },
    default: 'auto',
    doc: 'Colours of the host terminal. "auto" reads NO_COLOR, COLORTERM and TERM.',
  },
  {
    name: 'screen.unicode',
    type: { kind: 'choice', of: onOffAuto },
    default: 'auto',
    doc: 'Glyphs and borders outside of ASCII. "auto" reads the locale.',
  },
  {
    name: 'screen.mouse',
    type: { kind: 'boolean' },
    default: true,
    doc: 'Take mouse reports: click focuses, the wheel scrolls. Hold shift to select with the host terminal.',
  },
  {
    name: 'screen.scrollback',
    type: { kind: 'integer', min: 0, max: 1_000_000 },
    default: 10_000,
    doc: 'Lines of history that a terminal pane keeps. For new panes.',
  },
  {
    name: 'screen.frames_per_second',
    type: { kind: 'integer', min: 1, max: 120 },
    default: 60,
    doc: 'Upper limit of paints a second. The answer to a key is painted at once, whatever this says.',
  },
  {
    name: 'screen.title',
    type: { kind: 'boolean' },
    default: true,
    doc: 'Set the title of the host terminal.',
  },
  {
    name: 'screen.clipboard',
    type: { kind: 'boolean' },
    default: true,
    doc: 'Let programs in panes write the clipboard (OSC 52).',
  },
  {
    name: 'screen.notifications',
    type: { kind: 'boolean' },
    default: true,
    doc: 'Tell the host terminal when a session needs you or is done (OSC 9), and pass on notifications of programs.',
  },
  {
    name: 'screen.bell',
    type: { kind: 'boolean' },
    default: true,
    doc: 'Pass on the bell of programs in panes.',
  },
  {
    name: 'layout.mode',
    type: { kind: 'choice', of: ['auto', 'columns', 'rows', 'main', 'manual'] },
    default: 'auto',
    doc: 'Layout of a new tab.',
  },
  {
    name: 'shell.command',
    type: { kind: 'list' },
    default: [],
    doc: 'The shell of a new shell pane and its arguments. Empty: $SHELL, else /bin/sh.',
  },
  {
    name: 'sessions.limit',
    type: { kind: 'integer', min: 1, max: 1000 },
    default: 32,
    doc: 'Most sessions that may run at once; a hard limit for people, scripts and agents.',
  },
  {
    name: 'sessions.default_provider',
    type: { kind: 'text', maxChars: 80 },
    default: '',
    doc: 'The provider the picker has selected when it opens. Empty: the first that is installed.',
  },
  {
    name: 'sessions.policy',
    type: { kind: 'choice', of: ['ask', 'allow-once', 'allow-reads', 'reject', 'allow'] },
    default: 'ask',
    doc: 'How permission requests of new sessions are answered. "ask" leaves them open until you answer.',
  },
  {
    name: 'sessions.quiet_hint_minutes',
    type: { kind: 'integer', min: 0, max: 1440 },
    default: 10,
    doc: 'After so many minutes without output a session shows "maybe idle", as a hint. 0 turns it off.',
  },
  {
    name: 'start.resume',
    type: { kind: 'boolean' },
    default: false,
    doc: 'After a reboot start the programs of the last panes again without asking.',
  },
  {
    name: 'start.tour',
    type: { kind: 'boolean' },
    default: true,
    doc: 'Show the tour when "agentile start" finds an empty workspace.',
  },
  {
    name: 'gateway.url',
    type: { kind: 'text', maxChars: 2000 },
    default: '',
    doc: 'Base URL of a model gateway. Providers that can be pointed at one get it in their environment.',
  },
  {
    name: 'gateway.api_key',
    type: { kind: 'text', maxChars: 4000 },
    default: '',
    secret: true,
    doc: 'Key for the gateway; given only to providers that are pointed at it.',
  },
  {
    name: 'env.pass',
    type: { kind: 'list' },
    default: [],
    doc: 'Names of further variables of your environment that every child gets; a trailing * is a prefix.',
  },
  {
    name: 'log.level',
    type: { kind: 'choice', of: ['debug', 'info', 'warn', 'error'] },
    default: 'info',
    doc: 'What goes into the diagnostics files of daemon and keeper.',
  },
] as const satisfies readonly OptionRow[];

export type OptionName = (typeof OPTIONS)[number]['name'];

type RowOf<N extends OptionName> = Extract<(typeof OPTIONS)[number], { name: N }>;
type ValueOf<T> = T extends { kind: 'boolean' }
  ? boolean
  : T extends { kind: 'integer' | 'number' }
    ? number
    : T extends { kind: 'choice'; of: readonly (infer C)[] }
      ? C
      : T extends { kind: 'list' }
        ? string[]
        : T extends { kind: 'table' }
          ? Record<string, string | string[]>
          : string;

/** All settings by their dotted name, each with the type its row says. */
export type Settings = { [N in OptionName]: ValueOf<RowOf<N>['type']> };

export const DEFAULT_SETTINGS = Object.fromEntries(
  OPTIONS.map((row) => [row.name, row.default]),
) as unknown as Settings;

export function findOption(name: string): OptionRow | undefined {
  return OPTIONS.find((row) => row.name === name);
}
