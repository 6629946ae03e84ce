// What may come in over the daemon's socket: a schema for the parameters of every request and for every client message.
// Called by the daemon before it looks at anything; loaded by nobody else (zod costs 60 ms).
import { z } from 'zod';
import { AgentileError } from '../base/errors.js';
import { LAYOUT_MODES } from '../model/layout.js';
import { PERMISSION_POLICIES } from '../model/session.js';
import type { Method, Requests, ToDaemon } from './messages.js';

/** A terminal larger than this is a fault; it keeps one client from asking for gigabytes of cells. */
const MAX_CELLS_SIDE = 2000;
/** Text of a prompt or a paste; more is a fault of the sender. */
const MAX_TEXT_CHARS = 16 * 1024 * 1024;

const id = z.string().min(1).max(200);
const shortText = z.string().max(1000);
const text = z.string().max(MAX_TEXT_CHARS);
const side = z.number().int().min(1).max(MAX_CELLS_SIDE);
const count = z.number().int().min(0);
const nothing = z.object({});
const confidence = z.enum(['certain', 'likely', 'unsure']);
const direction = z.enum(['right', 'down']);
const view = z.enum(['main', 'raw']);
const layoutMode = z.enum(LAYOUT_MODES);
const policy = z.enum(PERMISSION_POLICIES);
const session = z.object({ session: id });
/** An argument of a command line cannot hold a NUL. */
const argument = z.string().refine((value) => !value.includes('\0'), 'holds a NUL character');

const launch = z.object({
  terminal: z.boolean().optional(),
  command: z.array(argument).min(1).optional(),
  args: z.array(argument).optional(),
  model: shortText.optional(),
  effort: shortText.optional(),
  mode: shortText.optional(),
  permission: shortText.optional(),
  policy: policy.optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), argument).optional(),
});

const newSession = z.object({
  providerId: id.optional(),
  cwd: z.string().startsWith('/', 'must be an absolute path').max(4096),
  name: z
    .string()
    .regex(
      /^[^\s/\p{C}][^\p{C}]{0,79}$/u,
      'must be 1 to 80 characters and begin with neither a blank nor "/"',
    )
    .optional(),
  prompt: text.optional(),
  task: text.optional(),
  launch: launch.optional(),
  open: z.boolean().optional(),
  place: z.object({ tabId: id.optional(), near: id.optional(), direction: direction.optional() }).optional(),
  parent: id.optional(),
});

const layoutOp = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('open'),
    sessionId: id,
    tabId: id.optional(),
    near: id.optional(),
    direction: direction.optional(),
  }),
  z.object({ op: z.literal('close-pane'), paneId: id }),
  z.object({ op: z.literal('swap'), a: id, b: id }),
  z.object({
    op: z.literal('ratio'),
    tabId: id,
    path: z.array(z.union([z.literal(0), z.literal(1)])).max(100),
    ratio: z.number().min(0).max(1),
  }),
  z.object({ op: z.literal('mode'), tabId: id, mode: layoutMode }),
  z.object({ op: z.literal('zoom'), tabId: id, paneId: id.nullable() }),
  z.object({ op: z.literal('view'), paneId: id, view }),
  z.object({ op: z.literal('tab-new'), name: shortText.optional() }),
  z.object({ op: z.literal('tab-close'), tabId: id }),
  z.object({ op: z.literal('tab-rename'), tabId: id, name: shortText }),
  z.object({ op: z.literal('move-to-tab'), paneId: id, tabId: id }),
]);

const answer = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('selected'), optionId: z.string(), message: text.optional() }),
  z.object({ outcome: z.literal('answers'), answers: z.record(z.string(), text) }),
  z.object({ outcome: z.literal('cancelled') }),
]);

const taskResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('success') }),
  z.object({ kind: z.literal('partial'), reason: text }),
  z.object({ kind: z.literal('rejected') }),
]);

const signalBody = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), pid: z.number().int().positive().optional() }),
  z.object({
    type: z.literal('finished'),
    exitCode: z.number().int().optional(),
    exitSignal: z.string().max(20).optional(),
  }),
  z.object({ type: z.literal('completed'), result: taskResult, confidence: confidence.optional() }),
  z.object({ type: z.literal('failed'), error: text }),
  z.object({
    type: z.literal('progress'),
    seq: count,
    message: text,
    percent: z.number().min(0).max(100).optional(),
  }),
  z.object({
    type: z.literal('state'),
    state: z.enum(['idle', 'working', 'done', 'blocked', 'error', 'clear']),
    kind: shortText.optional(),
    message: text.optional(),
  }),
]);

const REQUESTS: Record<Method, z.ZodType> = {
  'workspace/get': nothing,
  'session/new': newSession,
  'session/get': session,
  'session/prompt': session.extend({ text: text.min(1, 'must not be empty') }),
  'session/queue-edit': session.extend({ turnId: id, text: text.nullable() }),
  'session/cancel': session,
  'session/stop': session,
  'session/resume': session.extend({ fresh: z.boolean().optional(), fork: z.boolean().optional() }),
  'session/restart': session,
  'session/close': session.extend({ force: z.boolean().optional() }),
  'session/rename': session.extend({ name: newSession.shape.name.unwrap() }),
  'session/answer': session.extend({ permissionId: id, answer }),
  'session/policy': session.extend({ policy }),
  'session/configure': session.extend({
    model: shortText.optional(),
    effort: shortText.optional(),
    mode: shortText.optional(),
    option: z.object({ id, value: shortText }).optional(),
  }),
  'session/mark': session.extend({ confidence }),
  'session/signal': z.object({
    runId: id,
    attempt: count,
    token: shortText.optional(),
    signal: signalBody,
  }),
  'session/seen': session,
  'session/explain': session,
  'session/stop-all': nothing,
  'session/resume-all': nothing,
  'session/screen': session.extend({ lines: count.max(1_000_000).optional() }),
  'session/records': session.extend({
    after: count.optional(),
    limit: z.number().int().min(1).max(100_000).optional(),
  }),
  'layout/apply': layoutOp,
  'provider/list': z.object({ refresh: z.boolean().optional() }),
  'provider/install': z.object({ providerId: id }),
  'daemon/status': nothing,
  'daemon/stop': z.object({
    children: z.enum(['keep', 'stop']),
    reason: z.enum(['restart', 'stop']).optional(),
  }),
};

const rgb = z.tuple([z.number(), z.number(), z.number()]);
/** Loose: what this build does not know of a terminal is passed on. */
const caps = z.looseObject({
  colors: z.enum(['none', '16', '256', 'truecolor']),
  unicode: z.boolean(),
  syncOutput: z.boolean(),
  marginsLR: z.boolean(),
  kittyKeyboard: z.boolean(),
  hyperlinks: z.boolean(),
  clipboard: z.boolean(),
  foreground: rgb.optional(),
  background: rgb.optional(),
  cellWidth: z.number().positive().optional(),
  cellHeight: z.number().positive().optional(),
});

const key = z.object({
  name: z.string().max(40),
  text: z.string().max(200),
  ctrl: z.boolean(),
  alt: z.boolean(),
  shift: z.boolean(),
  meta: z.boolean(),
  action: z.enum(['press', 'repeat', 'release']),
  raw: z.string().max(200),
});

const mouse = z.object({
  kind: z.enum(['press', 'release', 'move', 'wheel']),
  button: z.enum([
    'left',
    'middle',
    'right',
    'none',
    'wheel-up',
    'wheel-down',
    'wheel-left',
    'wheel-right',
    'back',
    'forward',
  ]),
  x: z.number().int(),
  y: z.number().int(),
  shift: z.boolean(),
  alt: z.boolean(),
  ctrl: z.boolean(),
});

const toDaemon = z.discriminatedUnion('t', [
  z.object({
    t: z.literal('hello'),
    protocol: z.number(),
    version: z.string().max(100),
    role: z.enum(['tui', 'cli']),
    sessionId: id.optional(),
  }),
  z.object({
    t: z.literal('request'),
    id: z.number().int(),
    method: z.string().max(100),
    params: z.unknown(),
    commandId: id.optional(),
  }),
  z.object({ t: z.literal('attach'), cols: side, rows: side, caps }),
  z.object({ t: z.literal('area'), cols: side, rows: side }),
  z.object({
    t: z.literal('view'),
    panes: z.array(z.object({ paneId: id, scrollOffset: count })).max(1000),
    focused: id.nullable(),
    tabId: id.nullable(),
  }),
  z.object({ t: z.literal('keys'), paneId: id, keys: z.array(key).max(10_000) }),
  z.object({ t: z.literal('paste'), paneId: id, text }),
  z.object({ t: z.literal('mouse'), paneId: id, mouse }),
  z.object({ t: z.literal('host-focus'), focused: z.boolean() }),
  z.object({ t: z.literal('ack'), batch: count }),
  z.object({ t: z.literal('follow'), sessionId: id, after: count, on: z.boolean() }),
]);

/** The parameters of a request, checked. Throws USAGE with the path of the first bad field; unknown fields are dropped. */
export function parseRequest<M extends Method>(method: M, params: unknown): Requests[M]['params'] {
  const schema = Object.hasOwn(REQUESTS, method) ? REQUESTS[method] : undefined;
  if (!schema) throw new AgentileError('USAGE', `There is no request "${String(method)}".`);
  return check(schema, params ?? {}, method) as Requests[M]['params'];
}

/** A message of a client, checked; the parameters of a request are left to `parseRequest`. Throws PROTOCOL. */
export function parseToDaemon(message: unknown): ToDaemon {
  try {
    return check(toDaemon, message, 'message') as ToDaemon;
  } catch (error) {
    throw new AgentileError('PROTOCOL', (error as AgentileError).message, { cause: error });
  }
}

function check(schema: z.ZodType, value: unknown, what: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const path = issue.path.map(String).join('.');
  throw new AgentileError('USAGE', `${what}${path ? ` ${path}` : ''}: ${issue.message}.`, {
    hint: 'See docs/protocol.md for the fields of each request.',
  });
}
