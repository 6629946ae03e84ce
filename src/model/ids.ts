// Identifiers: branded strings, so that a pane id cannot be given where a run id is wanted.
import { randomBytes } from 'node:crypto';

type Brand<T extends string> = string & { readonly __brand: T };
export type SessionId = Brand<'session'>;
export type RunId = Brand<'run'>;
export type TurnId = Brand<'turn'>;
export type PaneId = Brand<'pane'>;
export type TabId = Brand<'tab'>;
/** Made by whoever asks; the daemon answers a repeated one with the first reply and runs nothing. */
export type CommandId = Brand<'command'>;
/** The keeper's name of a child: the daemon chooses it, and it is the run id with a kind in front. */
export type ChildId = Brand<'child'>;
export type PermissionId = Brand<'permission'>;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 10 characters of 32 each: 50 random bits, enough for the ids of one user, short enough to type. */
const LENGTH = 10;

function randomId(): string {
  let id = '';
  for (const byte of randomBytes(LENGTH)) id += ALPHABET[byte & 31];
  return id;
}

export const newSessionId = () => `s-${randomId()}` as SessionId;
export const newRunId = () => `r-${randomId()}` as RunId;
export const newTurnId = () => `t-${randomId()}` as TurnId;
export const newPaneId = () => `p-${randomId()}` as PaneId;
export const newTabId = () => `w-${randomId()}` as TabId;
export const newCommandId = () => `c-${randomId()}` as CommandId;
export const newPermissionId = () => `q-${randomId()}` as PermissionId;
