// Every recording of a real ACP agent through the translator: what came from the agent in, events out.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEventBody } from '../../src/model/event.js';
import { AcpTranslator, type AcpFrame } from '../../src/translators/acp.js';

const RECORDINGS = join(import.meta.dirname, '../recordings');
const FINAL = new Set(['completed', 'failed', 'cancelled', 'unknown']);

interface Line {
  dir: string;
  proc: number;
  msg?: { id?: number | string; method?: string; params?: any; result?: any; error?: any };
}

interface Played {
  events: AgentEventBody[];
  prompts: number;
  /** Prompts that another one overtook, or that were never answered: they have no end of their own. */
  answered: number;
  overlapping: boolean;
}

/** Plays one process and one session of a recording, as the connection would hand it over. */
function play(file: string): Played {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  const translator = new AcpTranslator({ idPrefix: 'm' });
  const calls = new Map<string, { method: string; params: any }>();
  const played: Played = { events: [], prompts: 0, answered: 0, overlapping: false };
  let session: string | undefined;
  const push = (frame: AcpFrame) => played.events.push(...translator.translate(frame));
  for (const { dir, proc, msg } of lines) {
    if (proc !== 1 || !msg) continue;
    if (dir === 'send' && msg.method) {
      calls.set(String(msg.id), { method: msg.method, params: msg.params });
      if (msg.method !== 'session/prompt' || (session && msg.params?.sessionId !== session)) continue;
      if (translator.turnOpen) played.overlapping = true;
      else translator.turnStarted();
      played.prompts++;
    }
    if (dir !== 'recv') continue;
    if (msg.method === 'session/update') {
      if (session && msg.params?.sessionId !== session) continue;
      push({ kind: 'update', update: msg.params.update, replay: false });
    } else if (msg.method === 'session/request_permission') {
      if (session && msg.params?.sessionId !== session) continue;
      push({ kind: 'permission', toolCall: msg.params.toolCall ?? msg.params.subject?.toolCall ?? {} });
    } else if (msg.method && msg.id !== undefined) {
      continue; // fs/*, terminal/* and vendor requests are answered by the connection
    } else if (msg.method) {
      push({ kind: 'notification', method: msg.method, params: msg.params });
    } else {
      const call = calls.get(String(msg.id));
      if (call?.method === 'initialize' && msg.result)
        translator.protocolVersion = msg.result.protocolVersion;
      if (call?.method === 'session/new' && msg.result && !session) {
        session = msg.result.sessionId;
        push({ kind: 'session', result: msg.result, nativeId: msg.result.sessionId, cwd: call.params.cwd });
      }
      if (call?.method !== 'session/prompt' || call.params?.sessionId !== session) continue;
      played.answered++;
      if (msg.error) push({ kind: 'prompt-error', error: msg.error });
      else push({ kind: 'prompt-result', result: msg.result });
    }
  }
  played.events.push(...translator.end({ stopped: false, stderrTail: [], exitCode: 0 }));
  return played;
}

function textOf(events: AgentEventBody[]): string {
  return events.map((event) => (event.type === 'text' ? (event.delta ?? event.final ?? '') : '')).join('');
}

function checkTools(events: AgentEventBody[]): void {
  const open = new Map<string, boolean>();
  for (const event of events) {
    if (event.type === 'tool.started') {
      expect(open.has(event.call.toolCallId), `second start of ${event.call.toolCallId}`).toBe(false);
      expect(FINAL.has(event.call.status)).toBe(false);
      open.set(event.call.toolCallId, true);
    } else if (event.type === 'tool.updated') {
      expect(open.has(event.toolCallId), `update before start of ${event.toolCallId}`).toBe(true);
      if (!open.get(event.toolCallId)) expect(event.patch.status).toBeUndefined();
    } else if (event.type === 'tool.finished') {
      expect(open.get(event.toolCallId), `end of ${event.toolCallId}, which is not open`).toBe(true);
      open.set(event.toolCallId, false);
    }
  }
  expect([...open.values()].filter(Boolean)).toEqual([]);
}

const folders = readdirSync(RECORDINGS).filter((name) => name.startsWith('acp-'));
const cases = folders.flatMap((folder) =>
  readdirSync(join(RECORDINGS, folder))
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => ({
      folder,
      name: name.slice(0, -'.ndjson'.length),
      file: join(RECORDINGS, folder, name),
    })),
);

describe('ACP translator: every recording', () => {
  it.each(cases)('$folder $name', ({ file }) => {
    const { events, prompts, overlapping } = play(file);
    checkTools(events);
    const ends = events.filter((event) => event.type === 'turn.done');
    if (overlapping) expect(ends.length).toBeGreaterThan(0);
    else expect(ends.length).toBe(prompts);
    const unknown = events.flatMap((event) => (event.type === 'unknown' ? [event.frameType] : []));
    expect(unknown.filter((frameType) => !frameType.startsWith('qwen/'))).toEqual([]);
  });

  const named = (name: string) => cases.filter((one) => one.name === name);

  it.each(named('text'))('$folder says what the model said, once', ({ file }) => {
    expect(textOf(play(file).events).match(/hello from the fake model/g)).toHaveLength(1);
  });

  it.each(named('error-401').filter(({ folder }) => /opencode|kilo|gemini|qwen|codex/.test(folder)))(
    '$folder: an error answer is a failed turn with its cause',
    ({ file }) => {
      const done = play(file).events.find((event) => event.type === 'turn.done' && event.failure);
      expect(done).toMatchObject({ stopReason: 'error', failure: { message: expect.stringMatching(/./) } });
    },
  );

  it.each(named('error-401').filter(({ folder }) => /acp-(pi|openclaw)-/.test(folder)))(
    '$folder: a turn that ends with nothing at all is suspicious',
    ({ file }) => {
      expect(play(file).events.find((event) => event.type === 'turn.done')).toMatchObject({
        suspicious: true,
      });
    },
  );

  it.each(named('edit').filter(({ folder }) => !folder.includes('openclaw')))(
    '$folder: the edit is finished',
    ({ file }) => {
      const { events } = play(file);
      expect(events.some((event) => event.type === 'tool.finished' && event.status === 'completed')).toBe(
        true,
      );
    },
  );
});
