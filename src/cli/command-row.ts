// The shape of one row of the table of commands.
import type { CommandRun } from './context.js';

export interface CommandRow {
  /** Words and operands: "daemon status", "send <session> [text...]". */
  usage: string;
  summary: string;
  /** Flags and their words. */
  options?: readonly (readonly [flags: string, words: string])[];
  /** Further lines of help. */
  help?: string;
  /** Runs when no command is named. */
  isDefault?: boolean;
  /** Gets what stands behind "--" as it is. */
  takesRest?: boolean;
  load(): Promise<CommandRun>;
}
