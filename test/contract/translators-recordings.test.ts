// Every recording of the four real CLIs, through its translator. Invariants for all, and a golden of what a reader sees:
// outcome, text, tools, usage. Goldens change with UPDATE=1 only, and are read in review.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AgentEventBody, ToolStatus } from '../../src/model/event.js';
import { FAILURE_KINDS } from '../../src/model/failure.js';
import { STOP_REASONS } from '../../src/model/session.js';
import { createTranslator } from '../../src/translators/index.js';
import {
  framesOf,
  RECORDED,
  recordingsOf,
  textsOf,
  translateRecording,
  type Recording,
} from '../helpers/recordings.js';

const folders = Object.keys(RECORDED) as (keyof typeof RECORDED)[];
const STEPS: Record<ToolStatus, number> = {
  pending: 0,
  running: 1,
  completed: 2,
  failed: 2,
  cancelled: 2,
  unknown: 2,
};

describe.each(folders)('%s', (folder) => {
  const recordings = recordingsOf(folder);

  it.each(recordings.map((r) => [r.name, r] as const))('%s', (name, recording) => {
    const events = translateRecording(recording);
    expectPairedTools(events);
    expectTurnEnds(recording, events);
    expect(events.filter((e) => e.type === 'unknown')).toEqual([]);
    expectText(recording, events);
    expectSameWhenSplit(recording, events);
    expect(summary(events)).toEqual(golden(folder, name, summary(events)));
  });
});

/** Each call is begun once, its status only moves on, and it ends once. */
function expectPairedTools(events: readonly AgentEventBody[]): void {
  const status = new Map<string, ToolStatus>();
  for (const event of events) {
    if (event.type === 'tool.started') {
      expect(status.has(event.call.toolCallId)).toBe(false);
      expect(event.call.title).not.toBe('');
      status.set(event.call.toolCallId, event.call.status);
    } else if (event.type === 'tool.updated' || event.type === 'tool.finished') {
      const before = status.get(event.toolCallId);
      const next = event.type === 'tool.finished' ? event.status : (event.patch.status ?? before);
      expect(before).toBeDefined();
      expect(STEPS[before!]).toBeLessThan(2);
      expect(STEPS[next!]).toBeGreaterThanOrEqual(STEPS[before!]);
      status.set(event.toolCallId, next!);
    }
  }
  expect([...status.values()].filter((s) => STEPS[s] < 2)).toEqual([]);
}

/** One end for each turn; a failed one has a cause, a good one has none. */
function expectTurnEnds(recording: Recording, events: readonly AgentEventBody[]): void {
  const ends = events.filter((e) => e.type === 'turn.done');
  const inits = framesOf(recording.stdout).filter(
    (f) => f['type'] === 'system' && f['subtype'] === 'init',
  ).length;
  expect(ends).toHaveLength(Math.max(1, inits));
  expect(events.at(-1)?.type).toBe('turn.done');
  for (const end of ends) {
    expect(STOP_REASONS).toContain(end.stopReason);
    if (end.stopReason === 'end_turn' || end.stopReason === 'cancelled') expect(end.failure).toBeUndefined();
    else {
      expect(FAILURE_KINDS).toContain(end.failure?.kind);
      expect(end.failure?.message).toMatch(/\S/);
    }
  }
}

/** What the CLI itself says its answer was, where it says so, is what a reader ends up with. */
function expectText(recording: Recording, events: readonly AgentEventBody[]): void {
  const results = framesOf(recording.stdout).filter((f) => f['type'] === 'result' && f['is_error'] === false);
  const texts = textsOf(events);
  for (const result of results) {
    if (typeof result['result'] === 'string' && result['result'] !== '')
      expect(texts).toContain(result['result']);
  }
}

/** A translator that is saved and loaded between any two frames says the same. */
function expectSameWhenSplit(recording: Recording, events: readonly AgentEventBody[]): void {
  const make = () => createTranslator(recording.format, { idPrefix: 'p:' });
  let current = make();
  const relay = {
    format: current.format,
    get turnOpen() {
      return current.turnOpen;
    },
    turnStarted: () => current.turnStarted(),
    translate(frame: Record<string, unknown>) {
      const saved = JSON.parse(JSON.stringify(current.save?.())) as unknown;
      current = make();
      current.load?.(saved);
      return current.translate(frame);
    },
    end: (context: Parameters<typeof current.end>[0]) => current.end(context),
  };
  expect(translateRecording(recording, relay)).toEqual(events);
}

interface Summary {
  ends: string[];
  texts: string[];
  thoughts: string[];
  tools: string[];
  usage: string[];
  notices: string[];
}

function summary(events: readonly AgentEventBody[]): Summary {
  const titles = new Map<string, string>();
  const seen: Summary = {
    ends: [],
    texts: cut(textsOf(events)),
    thoughts: cut(textsOf(events, 'thought')),
    tools: [],
    usage: [],
    notices: [],
  };
  for (const e of events) {
    if (e.type === 'tool.started') titles.set(e.call.toolCallId, `${e.call.kind} ${e.call.title}`);
    if (e.type === 'tool.updated' && e.patch.title)
      titles.set(e.toolCallId, `${e.patch.kind} ${e.patch.title}`);
    if (e.type === 'tool.finished')
      seen.tools.push(`${titles.get(e.toolCallId)} → ${e.status} ${e.exitCode ?? ''}`.trim());
    if (e.type === 'turn.done')
      seen.ends.push(e.failure ? `${e.stopReason}: ${e.failure.kind}: ${e.failure.message}` : e.stopReason);
    if (e.type === 'notice') seen.notices.push(`${e.kind} ${e.text}`);
    if (e.type === 'usage')
      seen.usage.push(
        `${e.usage.scope} ${e.usage.inputTokens}+${e.usage.outputTokens} $${e.usage.costUsd?.toFixed(4) ?? '-'}`,
      );
  }
  return seen;
}

function cut(texts: string[]): string[] {
  return texts.map((text) => (text.length > 160 ? `${text.slice(0, 160)}… (${text.length})` : text));
}

function golden(folder: string, name: string, now: Summary): Summary {
  const file = new URL(`../golden/translators/${folder}.json`, import.meta.url);
  const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Summary>;
  if (process.env['UPDATE'] === '1') {
    all[name] = now;
    const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(file, `${JSON.stringify(sorted, null, 1)}\n`);
  }
  expect(all[name], `no golden for ${folder}/${name}: run with UPDATE=1 and read it`).toBeDefined();
  return all[name]!;
}
