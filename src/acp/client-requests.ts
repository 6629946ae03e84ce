// Answers what an agent asks of its client beside permissions: files inside the session's folders, terminals; all else is
// refused with "method not found". One row a method. Never throws; every request gets exactly one answer.
import { messageOf } from '../base/errors.js';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  RpcError,
  type JsonRpcPeer,
  type RpcRequest,
} from '../io/jsonrpc.js';
import type { Quirk } from '../model/provider.js';
import { isMissingFile, type ConfinedFiles } from './confined-files.js';
import { object, string } from './shapes.js';
import type { AcpTerminals } from './terminals.js';

type Json = Record<string, unknown>;

export interface ClientSide {
  cwd: string;
  files: ConfinedFiles;
  terminals: AcpTerminals;
  /** The environment of the agent itself: its commands get no more. */
  env: Record<string, string>;
  quirks: readonly Quirk[];
}

type Answer = (side: ClientSide, params: Json) => Promise<unknown>;

const METHODS: Record<string, Answer> = {
  'fs/read_text_file': readFile,
  'fs/write_text_file': writeFile,
  'terminal/create': async (side, params) => ({
    terminalId: await side.terminals.create(terminalRequest(side, params)),
  }),
  'terminal/output': async (side, params) => side.terminals.output(required(params, 'terminalId')),
  'terminal/wait_for_exit': async (side, params) =>
    side.terminals.waitForExit(required(params, 'terminalId')),
  'terminal/kill': async (side, params) => side.terminals.kill(required(params, 'terminalId')),
  'terminal/release': async (side, params) => side.terminals.release(required(params, 'terminalId')),
};

export async function answerClientRequest(
  peer: JsonRpcPeer,
  side: ClientSide,
  request: RpcRequest,
): Promise<void> {
  const answer = METHODS[request.method];
  if (!answer)
    return peer.refuse(request.id, new RpcError(METHOD_NOT_FOUND, `Method not found: ${request.method}`));
  try {
    peer.respond(request.id, (await answer(side, object(request.params))) ?? {});
  } catch (error) {
    peer.refuse(
      request.id,
      error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, messageOf(error)),
    );
  }
}

async function readFile(side: ClientSide, params: Json): Promise<object> {
  const { line, limit } = params;
  const range = {
    ...(typeof line === 'number' ? { line } : {}),
    ...(typeof limit === 'number' ? { limit } : {}),
  };
  try {
    return { content: await side.files.readText(required(params, 'path'), range) };
  } catch (error) {
    // To this agent a missing file must look empty, or it does not write the new one (quirk of the catalogue).
    if (isMissingFile(error) && side.quirks.includes('missing-file-empty')) return { content: '' };
    throw error;
  }
}

async function writeFile(side: ClientSide, params: Json): Promise<null> {
  const path = required(params, 'path');
  const content = required(params, 'content');
  // This agent writes the file itself and only shows us what: writing it twice could undo what came between.
  if (!side.quirks.includes('write-preview-only')) await side.files.writeText(path, content);
  return null;
}

function terminalRequest(side: ClientSide, params: Json) {
  const limit = params['outputByteLimit'];
  const own = Array.isArray(params['env']) ? params['env'].map(object) : [];
  const env = Object.fromEntries(
    own.map((entry) => [String(entry['name'] as string), String(entry['value'] as string)]),
  );
  return {
    command: required(params, 'command'),
    args: Array.isArray(params['args']) ? params['args'].map(String) : [],
    cwd: string(params['cwd']) ?? side.cwd,
    env: { ...side.env, ...env },
    ...(typeof limit === 'number' ? { outputByteLimit: limit } : {}),
  };
}

function required(params: Json, name: string): string {
  const value = string(params[name]);
  if (value === undefined) throw new RpcError(INVALID_PARAMS, `"${name}" is missing`);
  return value;
}
