// Takes flags out of a command line in every spelling. Pure. Called by argv.
import type { StripRule } from '../model/provider.js';

/**
 * Removes every flag that a rule names: `--flag v`, `--flag=v`, `-f v`, `-fv`, `-f=v`. What follows a bare `--` stays.
 * A value that is missing at the end removes the flag alone.
 */
export function stripFlags(args: readonly string[], rules: readonly StripRule[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!;
    if (arg === '--') return [...kept, ...args.slice(index)];
    const match = matchRule(arg, args[index + 1], rules);
    if (!match) kept.push(arg);
    else index += match.alsoNext ? 1 : 0;
  }
  return kept;
}

/** True when the arguments hold a flag of these rules. */
export function hasFlag(args: readonly string[], rules: readonly StripRule[]): boolean {
  return stripFlags(args, rules).length !== args.length;
}

function matchRule(
  arg: string,
  next: string | undefined,
  rules: readonly StripRule[],
): { alsoNext: boolean } | undefined {
  for (const rule of rules) {
    const fits = (value: string | undefined) =>
      rule.valuePrefix === undefined || (value?.startsWith(rule.valuePrefix) ?? false);
    if (arg === rule.flag) {
      if (!rule.takesValue) return { alsoNext: false };
      if (fits(next)) return { alsoNext: next !== undefined };
    } else if (arg.startsWith(`${rule.flag}=`)) {
      if (fits(arg.slice(rule.flag.length + 1))) return { alsoNext: false };
    } else if (isGlued(arg, rule) && fits(arg.slice(2))) return { alsoNext: false };
  }
  return undefined;
}

/** "-mgpt-5": a short flag with its value in one word. */
function isGlued(arg: string, rule: StripRule): boolean {
  return rule.takesValue && /^-[A-Za-z]$/.test(rule.flag) && arg.startsWith(rule.flag) && arg.length > 2;
}
