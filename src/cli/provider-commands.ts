// The rows of `agentile provider …` and `agentile doctor` for the table of commands. Loads nothing until a command runs.
import type { CommandRow } from './command-row.js';

const JSON_OPTION = ['--json', 'print JSON'] as const;

export function providerCommands(): CommandRow[] {
  const doctorOptions = [['--fix', 'repair what is safe to repair'], JSON_OPTION] as const;
  return [
    {
      usage: 'provider ls',
      summary: 'list the agent CLIs: where they are, which version, what is missing',
      options: [
        ['--all', 'also those you switched off'],
        ['--versions', 'ask programs on PATH for their version'],
        JSON_OPTION,
      ],
      load: async () => (await import('./provider.js')).runProviderLs,
    },
    {
      usage: 'provider doctor [provider]',
      summary: 'what works, what does not, and the cure; of one CLI, or of all and of this machine',
      options: doctorOptions,
      help: 'Exit: 0 nothing is broken, 1 something is.',
      load: async () => (await import('./doctor.js')).runDoctor,
    },
    {
      usage: 'provider install <provider>',
      summary: 'install the CLI at the tested version, into a folder of ours',
      options: [['--prune', 'remove its other versions afterwards'], JSON_OPTION],
      load: async () => (await import('./provider.js')).runProviderInstall,
    },
    {
      usage: 'provider login <provider>',
      summary: "run the CLI's own sign-in here",
      options: [['--print', 'only print the command']],
      load: async () => (await import('./provider.js')).runProviderLogin,
    },
    {
      usage: 'doctor',
      summary: 'the same as "provider doctor" for everything',
      options: doctorOptions,
      load: async () => (await import('./doctor.js')).runDoctor,
    },
  ];
}
