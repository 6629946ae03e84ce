// Texts for a person at a shell: columns, durations, paths, and text of others made harmless. Pure.

/** Lines of cells in aligned columns, two blanks apart. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, [...cell].length);
  }
  const pad = (cell: string, i: number) => cell + ' '.repeat(widths[i]! - [...cell].length);
  return rows
    .map((row) =>
      row
        .map((cell, i) => pad(visible(cell), i))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** "4s", "12m", "3h", "2d". */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** A path with the home folder as "~". */
export function shortPath(path: string, home: string | undefined): string {
  if (!home || home === '/') return path;
  if (path === home) return '~';
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Text of an agent for a terminal: control characters but tab and line feed become visible. */
export function visible(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });
}
