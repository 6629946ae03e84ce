// What doctor says: findings with a level and a cure. Shared by its checks.

export type FindingLevel = 'ok' | 'info' | 'warning' | 'error';

export interface Finding {
  /** Stable, for scripts: "node.version", "provider.claude". */
  id: string;
  level: FindingLevel;
  /** One line. */
  title: string;
  /** Further words. */
  detail?: string;
  /** The exact next step. */
  cure?: string;
  /** Repairs it; gives words for what was done. Only for what can do no harm. */
  fix?: () => Promise<string>;
}

export const ok = (id: string, title: string, detail?: string): Finding =>
  finding('ok', id, title, { detail });
export const info = (id: string, title: string, more: More = {}): Finding => finding('info', id, title, more);
export const warning = (id: string, title: string, more: More = {}): Finding =>
  finding('warning', id, title, more);
export const fault = (id: string, title: string, more: More = {}): Finding =>
  finding('error', id, title, more);

interface More {
  detail?: string | undefined;
  cure?: string | undefined;
  fix?: (() => Promise<string>) | undefined;
}

function finding(level: FindingLevel, id: string, title: string, more: More): Finding {
  const present = Object.entries(more).filter(([, value]) => value !== undefined);
  return { id, level, title, ...(Object.fromEntries(present) as Omit<Finding, 'id' | 'level' | 'title'>) };
}
