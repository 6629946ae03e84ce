// Lays one raw TOML table over another, field by field. Pure. Called by load.

export type Table = Record<string, unknown>;

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Tables are merged; everything else (arrays too) is replaced as a whole, so that a list can also be made shorter. */
export function overlayTable(below: Table, above: Table): Table {
  const result: Table = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = result[key];
    result[key] = isTable(old) && isTable(value) ? overlayTable(old, value) : value;
  }
  return result;
}

export class ExtendsError extends Error {
  override readonly name = 'ExtendsError';
}

/** Replaces `extends = "other"` by the other entry's fields below the entry's own. Throws an ExtendsError. */
export function resolveExtends(
  id: string,
  entries: Record<string, Table>,
  seen: readonly string[] = [],
): Table {
  const table = entries[id];
  if (!table) throw new ExtendsError(`there is no entry "${id}" to extend`);
  const parentId = table['extends'];
  if (parentId === undefined) return table;
  if (typeof parentId !== 'string') throw new ExtendsError('expected the id of another entry');
  if (seen.includes(id)) throw new ExtendsError(`"${id}" extends itself (${[...seen, id].join(' → ')})`);
  const parent = resolveExtends(parentId, entries, [...seen, id]);
  // What only the parent may own: its other names, and its being switched off.
  const inherited = Object.fromEntries(
    Object.entries(parent).filter(([key]) => key !== 'aliases' && key !== 'disabled'),
  );
  const own = Object.fromEntries(Object.entries(table).filter(([key]) => key !== 'extends'));
  return overlayTable(inherited, own);
}
