// What an acp controller leaves with the keeper, so that a new daemon goes on with the same agent process: who the agent is, which
// session is open, which options it has, what is asked. JSON in a checkpoint; opaque to the keeper.
import type { AgentInfo } from '../acp/shapes.js';
import type { RpcRequest } from '../io/jsonrpc.js';
import type { ConfigOption } from '../model/event.js';
import type { TurnId } from '../model/ids.js';
import type { PermissionRequest } from '../model/permission.js';

export interface AcpState {
  version: 1;
  info: AgentInfo;
  nativeId: string;
  options: ConfigOption[];
  /** Ids of options that are set by session/set_mode or session/set_model. */
  legacy: ('mode' | 'model')[];
  /** The turn that was sent last. */
  turnId?: TurnId;
  /** The agent was asked to stop this turn. */
  cancelling: boolean;
  open: PermissionRequest[];
  /** Requests for files and terminals that have no answer yet. */
  client: RpcRequest[];
  translator: unknown;
}

/** Undefined stands for a session that is not open yet. */
export function encodeState(state: AcpState | undefined): Uint8Array {
  return Buffer.from(JSON.stringify(state ?? {}));
}

/** Undefined for bytes of another version, of a session that was not open, or that are no state. */
export function decodeState(bytes: Uint8Array | undefined): AcpState | undefined {
  if (!bytes || bytes.length === 0) return undefined;
  try {
    const state = JSON.parse(Buffer.from(bytes).toString('utf8')) as AcpState;
    return state.version === 1 && typeof state.nativeId === 'string' ? state : undefined;
  } catch {
    // Not JSON: the checkpoint of something else. The caller tells that it cannot take over.
    return undefined;
  }
}
