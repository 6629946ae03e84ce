// Finds the line of a field in a TOML text, so that an error can point at it. Called by load. A scanner, not a parser: it
// only ever serves a message.

/** 1-based line of the field (or of its table, or of the nearest table above); undefined when nothing fits. */
export function lineOfField(text: string, path: readonly (string | number)[]): number | undefined {
  const wanted = path.filter((part) => typeof part === 'string');
  let table: string[] = [];
  let best: { depth: number; line: number } | undefined;
  const offer = (at: string[], line: number) => {
    const depth = commonDepth(at, wanted);
    // "[a.b]" stands for "a" too, when nothing names "a" alone.
    const fits = depth === at.length || depth === wanted.length;
    if (fits && depth > (best?.depth ?? 0)) best = { depth, line };
  };
  let fence: string | undefined;
  text.split('\n').forEach((raw, index) => {
    const line = raw.trim();
    if (fence) {
      if (line.includes(fence)) fence = undefined;
      return;
    }
    const header = /^\[\[?\s*([^\]]+?)\s*\]\]?/.exec(line);
    const assignment = /^([A-Za-z0-9_."'-]+)\s*=\s*(.*)$/.exec(line);
    if (header?.[1]) {
      table = splitKey(header[1]);
      offer(table, index + 1);
    } else if (assignment?.[1]) {
      offer([...table, ...splitKey(assignment[1])], index + 1);
      const value = assignment[2] ?? '';
      const open = /^("""|''')/.exec(value)?.[1];
      if (open && !value.slice(3).includes(open)) fence = open;
    }
  });
  return best?.line;
}

function commonDepth(at: readonly string[], wanted: readonly string[]): number {
  let depth = 0;
  while (depth < at.length && at[depth] === wanted[depth]) depth++;
  return depth;
}

function splitKey(key: string): string[] {
  const parts = key.match(/"[^"]*"|'[^']*'|[^.\s]+/g) ?? [];
  return parts.map((part) => part.replace(/^["']|["']$/g, ''));
}
