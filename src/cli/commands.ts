// The table of commands: usage, words, options, and where the code of each is loaded from. The program, `--help` and
// docs/commands.md are made from it. Nothing heavy is imported here: `load` runs when the command runs.
import type { CommandRow } from './command-row.js';
import { providerCommands } from './provider-commands.js';

const JSON_OPTION = ['--json', 'print JSON'] as const;
const SESSION_HELP = '<session> is the number, the name or the id that "agentile ls" shows.';

export const COMMANDS: readonly CommandRow[] = [
  {
    usage: 'attach',
    summary: 'show the tiles (the default)',
    isDefault: true,
    load: async () => (await import('./attach.js')).runAttach,
  },
  {
    usage: 'start',
    summary: 'like attach; an empty workspace begins with the tour',
    load: async () => (await import('./attach.js')).runStart,
  },
  {
    usage: 'new [provider]',
    summary: 'start a session: an agent CLI, or any program in a terminal pane',
    takesRest: true,
    options: [
      ['-t, --terminal', "the CLI's own screen, or a program: agentile new --terminal -- htop"],
      ['-n, --name <name>', 'a short name; made from the task otherwise'],
      ['-C, --cwd <folder>', 'where it works (default: here)'],
      ['-p, --prompt <text>', 'the first prompt'],
      ['--task <text>', 'what you want done; "mark" speaks about it'],
      ['-m, --model <model>', 'the model, in the words of the CLI'],
      ['--effort <effort>', 'reasoning effort, in the words of the CLI'],
      ['--mode <mode>', 'mode, in the words of the CLI'],
      ['--permission <mode>', "the CLI's own permission mode"],
      [
        '--policy <policy>',
        'ask, allow-once, allow-reads, reject or allow: how requests are answered (default: ask)',
      ],
      ['--no-open', 'open no pane for it'],
      ['--dry-run', 'print program, arguments, folder and environment, and why each is there; start nothing'],
      JSON_OPTION,
    ],
    help: 'What stands behind "--" is given to the CLI, or is the command line when no provider is named.\nExamples:\n  agentile new --terminal -- htop\n  agentile new <provider> --prompt "run the tests and fix what fails"',
    load: async () => (await import('./new.js')).runNew,
  },
  {
    usage: 'ls',
    summary: 'list the sessions',
    options: [JSON_OPTION],
    load: async () => (await import('./ls.js')).runLs,
  },
  {
    usage: 'send <session> [text...]',
    summary: 'send a prompt; without text it is read from stdin',
    options: [
      ['-w, --wait', 'wait for the end of the turn and print the answer'],
      ['--timeout <seconds>', 'stop waiting after this (exit 124)'],
      JSON_OPTION,
    ],
    help: `${SESSION_HELP}\nExit: 0 the turn ended well, 4 it failed, 5 it needs you, 124 the time was over.`,
    load: async () => (await import('./send.js')).runSend,
  },
  {
    usage: 'wait <session>',
    summary: 'wait for a status',
    options: [
      [
        '--for <status>',
        'one or more, with commas: done, idle, needs-you, failed … (default: whatever ends the work)',
      ],
      ['--timeout <seconds>', 'stop waiting after this (exit 124)'],
      JSON_OPTION,
    ],
    help: SESSION_HELP,
    load: async () => (await import('./wait.js')).runWait,
  },
  {
    usage: 'read <session>',
    summary: 'print the transcript, or the screen of a terminal pane',
    options: [
      ['--last <n>', 'only the last n turns, or lines of a terminal pane'],
      ['-f, --follow', 'go on printing what comes'],
      JSON_OPTION,
    ],
    help: SESSION_HELP,
    load: async () => (await import('./read.js')).runRead,
  },
  {
    usage: 'call <provider> [text...]',
    summary: 'ask an agent CLI once, headless, and print its answer; needs no daemon and installs nothing',
    takesRest: true,
    options: [
      ['-C, --cwd <folder>', 'where it works (default: here)'],
      ['-m, --model <model>', 'the model, in the words of the CLI'],
      ['--effort <effort>', 'reasoning effort, in the words of the CLI'],
      ['--permission <mode>', "the CLI's own permission mode"],
      ['--timeout <seconds>', 'time limit (default: $AGENTILE_CALL_TIMEOUT_SECS, or 120)'],
      ['--json', 'print every event as a JSON line, the result last'],
    ],
    help: 'Without text it is read from stdin. What stands behind "--" is given to the CLI.\nExit: 0 answered, 4 it failed, 7 not installed, 124 the time was over (what it had said is printed).',
    load: async () => (await import('./call.js')).runCall,
  },
  ...sessionCommands(),
  {
    usage: 'signal <type>',
    summary: 'tell the state of a run; for hooks inside of a session',
    options: [
      ['--result <result>', 'completed: success, partial or rejected'],
      ['--reason <text>', 'completed partial: why'],
      ['--error <text>', 'failed: what went wrong'],
      ['--message <text>', 'progress, state: words'],
      ['--seq <n>', 'progress: a number that rises'],
      ['--percent <n>', 'progress: 0 to 100'],
      ['--state <state>', 'state: idle, working, done, blocked, error or clear'],
      ['--kind <kind>', 'state blocked: permission, question or auth'],
      ['--exit-code <n>', 'finished: the exit code'],
      ['--run <id>', 'the run (default: $AGENTILE_RUN_ID)'],
      ['--attempt <n>', 'its attempt (default: $AGENTILE_ATTEMPT)'],
    ],
    help: '<type> is started, finished, completed, failed, progress or state.',
    load: async () => (await import('./signal.js')).runSignal,
  },
  {
    usage: 'log export [session]',
    summary: 'print the event log as JSON lines, of one session or of all',
    load: async () => (await import('./log.js')).runLogExport,
  },
  ...providerCommands(),
  ...daemonCommands(),
  ...configCommands(),
];

function sessionCommands(): CommandRow[] {
  const session = (
    verb: 'stop' | 'resume' | 'restart' | 'close',
    summary: string,
    options: CommandRow['options'],
  ) => ({
    usage: `${verb} <session>`,
    summary,
    options: [...(options ?? []), JSON_OPTION],
    help: SESSION_HELP,
    load: async () => (await import('./session.js')).SESSION_COMMANDS[verb],
  });
  const answer = (verb: 'approve' | 'reject', summary: string, options: CommandRow['options']) => ({
    usage: `${verb} <session>`,
    summary,
    options: [['--request <id>', 'which one, when several are open'], ...(options ?? [])] as const,
    help: SESSION_HELP,
    load: async () => (await import('./answer.js')).ANSWER_COMMANDS[verb],
  });
  return [
    session('stop', 'end the process; a second time by force', []),
    session('resume', 'go on with the same conversation', [
      ['--fresh', 'begin a new conversation instead'],
      ['--fork', 'branch off a copy, where the CLI can'],
    ]),
    session('restart', 'end the process and start it again', []),
    session('close', 'take the session away', [['--force', 'also when it runs']]),
    answer('approve', 'allow what the session asks for', [
      ['--always', 'also in the future (the CLI writes a rule)'],
    ]),
    answer('reject', 'refuse what the session asks for', [['--message <text>', 'words for the agent']]),
    {
      usage: 'mark <session> <state>',
      summary: 'mark the task of a session: done',
      options: [['--confidence <c>', 'certain, likely or unsure (default: certain)'], JSON_OPTION],
      help: SESSION_HELP,
      load: async () => (await import('./session.js')).runMark,
    },
    {
      usage: 'explain <session>',
      summary: 'why its status is what it is',
      options: [JSON_OPTION],
      help: SESSION_HELP,
      load: async () => (await import('./explain.js')).runExplain,
    },
  ];
}

function daemonCommands(): CommandRow[] {
  return [
    {
      usage: 'daemon status',
      summary: 'is it running, which version, what it holds (exit 6: not running)',
      options: [JSON_OPTION],
      load: async () => (await import('./daemon.js')).runDaemonStatus,
    },
    {
      usage: 'daemon start',
      summary: 'start it when it does not run',
      load: async () => (await import('./daemon.js')).runDaemonStart,
    },
    {
      usage: 'daemon stop',
      summary: 'end it; agents go on in the keeper',
      options: [['--all', 'end all agents and programs as well']],
      load: async () => (await import('./daemon.js')).runDaemonStop,
    },
    {
      usage: 'daemon restart',
      summary: 'change it for this version; agents go on',
      load: async () => (await import('./daemon.js')).runDaemonRestart,
    },
  ];
}

function configCommands(): CommandRow[] {
  return [
    {
      usage: 'config path',
      summary: 'print where the settings file is',
      load: async () => (await import('./config.js')).runConfigPath,
    },
    {
      usage: 'config get [name]',
      summary: 'print one setting, or all of them',
      options: [JSON_OPTION],
      load: async () => (await import('./config.js')).runConfigGet,
    },
    {
      usage: 'config set <name> [value...]',
      summary: 'write a setting; --unset takes it out of the file',
      options: [['--unset', 'go back to the default']],
      load: async () => (await import('./config.js')).runConfigSet,
    },
    {
      usage: 'config check',
      summary: 'check the settings file (exit 9: something is wrong)',
      load: async () => (await import('./config.js')).runConfigCheck,
    },
  ];
}
