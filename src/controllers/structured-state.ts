// What a structured controller leaves with the keeper at a line end, so that a new daemon goes on there. Used by the
// persistent and the subprocess controller. A state that cannot be read is no state: the output is read from its start.
import type { PermissionRequest } from '../model/permission.js';

export interface StructuredState {
  v: 1;
  /** Place of the child's first byte in the run's output. */
  base: number;
  translator: unknown;
  nativeId?: string;
  /** The id the process was asked to resume. */
  asked?: string;
  open: PermissionRequest[];
}

export function encodeStructuredState(state: StructuredState): Uint8Array {
  return Buffer.from(JSON.stringify(state));
}

export function decodeStructuredState(bytes: Uint8Array | undefined): StructuredState | undefined {
  if (!bytes || bytes.length === 0) return undefined;
  try {
    const state = JSON.parse(Buffer.from(bytes).toString('utf8')) as StructuredState;
    return state.v === 1 ? state : undefined;
  } catch {
    // Left by another version: the caller reads the child's output from where it is kept.
    return undefined;
  }
}
