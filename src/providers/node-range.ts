// Compares Node versions with the ranges of the catalogue: ">=22.19", "<22.19", ">=24.16 <25 || >=26.1". Pure.

type Version = [number, number, number];

export function parseVersion(text: string): Version | undefined {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text.trim());
  return match ? [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)] : undefined;
}

export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a) ?? [0, 0, 0];
  const right = parseVersion(b) ?? [0, 0, 0];
  for (const index of [0, 1, 2] as const) {
    const difference = left[index] - right[index];
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Alternatives are divided by "||", the conditions of one by spaces. An unreadable condition never holds. */
export function fitsRange(version: string, range: string): boolean {
  return range.split('||').some((alternative) => {
    const conditions = alternative.trim().split(/\s+/).filter(Boolean);
    return conditions.length > 0 && conditions.every((condition) => holds(version, condition));
  });
}

function holds(version: string, condition: string): boolean {
  const match = /^(>=|<=|>|<|=)?(.+)$/.exec(condition);
  if (!match?.[2] || !parseVersion(match[2])) return false;
  const order = compareVersions(version, match[2]);
  switch (match[1] ?? '=') {
    case '>=':
      return order >= 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    default:
      return order === 0;
  }
}
