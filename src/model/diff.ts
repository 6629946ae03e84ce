// A change of one file, as a tool call or a permission request shows it.

export interface DiffContent {
  type: 'diff';
  path: string;
  /** Missing when the file is new; null when the provider does not say. */
  oldText?: string | null;
  newText: string;
  /** Line of the file at which the texts begin, 1-based, when they are a part of it. */
  startLine?: number;
}
