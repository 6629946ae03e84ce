// One entry of the catalogue: everything that differs between two providers, as data. src/providers.ts loads and checks it.

export type ControllerKind = 'persistent' | 'subprocess' | 'acp' | 'terminal';
export type Stdio = 'pipe' | 'pty';
export type WireFormat =
  | 'claude-stream-json'
  | 'qwen-stream-json'
  | 'codex-json'
  | 'gemini-json'
  | 'kimi-stream-json'
  | 'agy-stream-json'
  | 'acp';

export const QUIRKS = [
  'missing-file-empty', // fs/read of a missing file is answered with "" instead of an error (Gemini)
  'write-preview-only', // fs/write is a preview: the agent writes the file itself (OpenCode, Kilo)
  'no-mcp', // session/new fails when it carries MCP servers (OpenClaw)
  'mcp-http-only', // stdio MCP servers are ignored (Copilot)
  'load-same-minute', // session/load within a minute of session/new destroys the session (Gemini)
  'usage-thread-totals', // usage is for the whole thread, across processes (Codex)
  'usage-process-totals', // usage is for the whole process so far (Qwen persistent)
  'ignores-sigterm', // needs SIGKILL (Gemini, Cline)
  'launcher', // a launcher process stands in front of the real one (Qwen, Gemini, Codex)
  'native-id-uuid-only', // anything but a UUID silently starts a new conversation (Codex)
  'init-each-turn', // the init frame comes at the start of every turn (Claude, Qwen)
  'root-needs-sandbox-flag', // bypass modes as root need IS_SANDBOX=1 (Claude)
] as const;
export type Quirk = (typeof QUIRKS)[number];

/** A flag that is removed in all its spellings: `--flag v`, `--flag=v`, `-f v`, `-fv`. */
export interface StripRule {
  flag: string;
  takesValue: boolean;
  /** Only when the value begins with this ("model=" of Codex' `-c model=…`). */
  valuePrefix?: string;
}

/** A choice offered to the user, and the arguments it becomes. `{value}` in args is replaced. */
export interface OptionSpec {
  /** Values that may be chosen; empty means any text. */
  values: string[];
  /** True: the values are suggestions, any other text is taken too (model ids). */
  open?: boolean;
  default?: string;
  /** Arguments for a chosen value, e.g. ["--model", "{value}"]. */
  args: string[];
  /** Arguments of single values that differ from `args`, e.g. yolo = ["--yolo"]. */
  valueArgs?: Record<string, string[]>;
  /** Variables of a value; "*" stands for every value, and {value} in them is replaced. */
  valueEnv?: Record<string, Record<string, string>>;
  /** Flags in user or base arguments that conflict and are removed, in all spellings (--flag v, --flag=v). */
  strip: StripRule[];
  /** Set through the protocol instead of argv: an ACP config option / mode / model id, or a control request. */
  protocol?: 'mode' | 'model' | 'config' | 'control';
}

export interface InstallSpec {
  /** npm package and exact pinned version; installed into our own folder. */
  npm?: string;
  version?: string;
  /** Id of the entry whose install this one shares (same package and version); missing: its own. */
  as?: string;
  /** Further packages installed beside it, exact: name@version. */
  npmWith?: string[];
  /** Node range the CLI itself needs, when it runs on Node: ">=22.19", ">=24.16 <25 || >=26.1". */
  node?: string;
  /** Pinned versions for an older Node: the first whose `node` fits is taken. */
  fallbacks?: { node: string; version: string; npmWith?: string[] }[];
  /** Exact version of the npm package `node` that is installed beside it when no Node on the machine fits. */
  nodePackage?: string;
  /** Size on disk, MB; checked against the free space before the install. */
  sizeMb?: number;
  /** Which one runs when both are there; missing: "managed", the version we pinned. */
  prefer?: 'managed' | 'path';
  /** The vendor's own install command, shown when we cannot install it. */
  command?: string;
  url?: string;
  /** Folders where the vendor's installer puts the binary; ~ is HOME. */
  paths: string[];
}

/** A file written before launch when it is not there, or, with a merge mode, what it lacks. */
export interface BeforeLaunchFile {
  /** Templates: {home} {cwd} {config_dir} {provider_dir}. */
  path: string;
  content: string;
  mode: 'create' | 'merge-toml' | 'merge-json' | 'own';
  /** Only for launches of this kind; missing: always. */
  when?: 'structured' | 'terminal' | 'gateway';
  /** Why it is needed; shown by a dry run. */
  why?: string;
}

/** How a gateway replaces the vendor's own endpoint, where the one variable of `env.baseUrl` is not enough. */
export interface GatewaySpec {
  /** Values with {gateway_url} (no trailing slash) and {gateway_key}. */
  env: Record<string, string>;
  args: string[];
  note?: string;
}

export interface Provider {
  id: string;
  name: string;
  aliases: string[];
  /** Who serves the model by default; first is the default vendor. */
  vendors: string[];
  controller: ControllerKind;
  stdio: Stdio;
  /** Executable name. */
  bin: string;
  /** Base arguments of the structured mode. */
  args: string[];
  /** How a prompt reaches the CLI in structured one-turn modes; persistent and acp write frames. */
  prompt: {
    via: 'stdin' | 'arg' | 'flag' | 'frame' | 'type';
    flag?: string;
    /** Arguments that always come last (Codex: "-", read the prompt from stdin). */
    lastArgs?: string[];
  };
  /** Wire format of stdout; the translator is looked up by it. Missing for terminal. */
  format?: WireFormat;
  resume: {
    kind: 'flag' | 'subcommand' | 'acp' | 'none';
    /** flag: arguments with {session_id}; subcommand: words inserted after `args[afterArg]`. */
    args: string[];
    /** subcommand: number of base arguments that come before it (Codex: 1, after "exec"). */
    afterArgs?: number;
    forkArgs?: string[];
  };
  /** Field of the wire that holds the native session id ("session_id", "thread_id"). */
  nativeIdField?: string;
  env: {
    set: Record<string, string>;
    /** Names taken over from the user's environment, beside the common allow-list; a trailing * is a prefix. */
    pass: string[];
    unset: string[];
    /** Variable that names the CLI's config folder, when the user sets one for it. */
    configDirVar?: string;
    baseUrl?: { var: string; suffix: string; keyVar?: string };
    /** Set only when we run as root; with `whenPermission` only for these permission values. */
    root?: { set: Record<string, string>; whenPermission?: string[] };
  };
  /** The CLI's config folder when the user gives one of its own; sets `env.configDirVar`. */
  configDir?: string;
  /** The config folder the CLI uses otherwise; ~ is HOME. Value of the template {config_dir}. */
  defaultConfigDir?: string;
  gateway?: GatewaySpec;
  model?: OptionSpec;
  effort?: OptionSpec;
  permission?: OptionSpec;
  mode?: OptionSpec;
  /** Where its status can come from, best first. */
  signals: ('protocol' | 'osc7501' | 'hook' | 'exit_code' | 'none')[];
  hooks?: { file: string; template: string };
  /** The instructions file the CLI reads in the project folder. */
  instructions?: { file: string; args?: string[] };
  /** Files written before launch when they are not there: path template and content template. */
  beforeLaunch: BeforeLaunchFile[];
  detect: { versionArgs: string[]; versionPattern?: string; signedInFiles: string[]; signedInEnv: string[] };
  install: InstallSpec;
  login?: { args: string[]; hint: string };
  /** Its own screen: arguments, and how that screen behaves. */
  terminal?: {
    args: string[];
    tuiType: 'line_oriented' | 'full_screen' | 'raw_mode';
    bin?: string;
    /** Arguments with {session_id} that continue a conversation there. */
    resumeArgs?: string[];
    /** Options with their own spelling there; missing: the entry's own, where it has arguments. */
    model?: OptionSpec;
    effort?: OptionSpec;
    permission?: OptionSpec;
    env?: Record<string, string>;
  };
  /** One-shot headless call, when it differs from the structured mode. */
  call?: {
    args: string[];
    prompt: { via: 'stdin' | 'arg' | 'flag'; flag?: string; lastArgs?: string[] };
    /** Wire format of this mode; missing: plain text. */
    format?: WireFormat;
    permission?: OptionSpec;
    blockingHint?: string;
  };
  quirks: Quirk[];
  /** True when no test ran against the real CLI (it cannot be installed where we test). */
  unverified?: boolean;
  /** Where the entry's facts come from. */
  source?: string;
  /** How the picker groups it; "variant" entries (the same CLI over another wire) come after the others. */
  kind?: 'agent' | 'variant' | 'builtin';
  disabled?: boolean;
  notes?: string;
}
