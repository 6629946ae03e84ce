// One suite for every real CLI: text, shell tool, file edit, interrupt, stop and resume by id in a new process, API error.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FailureKind } from '../../src/model/failure.js';
import type { LaunchOptions } from '../../src/model/session.js';
import type { Bench } from './controller-bench.js';
import { RealHome, type RealCli } from './real-cli.js';

export interface RealSuite {
  cli: RealCli;
  /** Everything is allowed. */
  free: LaunchOptions;
  env?: Record<string, string>;
  /** The CLI's own settings, by path below HOME. */
  files?: Record<string, string>;
  /** An error the CLI does not retry for minutes, and what it is. */
  error: { status: number; kind: FailureKind };
  /** The text is there only when the message is whole. */
  wholeTexts?: boolean;
  /** The CLI tells what it changed. */
  diffs: boolean;
  /** The CLI does not tell what a turn cost. */
  noTurnUsage?: boolean;
  /** Further tests of this CLI. */
  more?(open: (choices?: LaunchOptions, resumeId?: string) => Promise<Bench>, home: () => RealHome): void;
}

export function describeReal(suite: RealSuite): void {
  const { cli, free } = suite;
  describe.skipIf(cli.missing !== undefined)(
    `${cli.provider.name} ${cli.missing ?? cli.provider.install.version}`,
    () => {
      let home: RealHome;
      let bench: Bench | undefined;
      beforeAll(async () => {
        home = new RealHome(cli, suite.env, suite.files);
        await home.open();
      });
      afterEach(async () => {
        await bench?.dispose();
        bench = undefined;
      });
      afterAll(() => home.close());
      const open = async (choices = free, resumeId?: string) => {
        bench = home.session(choices, resumeId);
        await bench.start();
        return bench;
      };

      it('answers several turns, streaming, in one conversation', async () => {
        const b = await open();
        expect(await b.ask('say: the first answer, 世界🌍')).toMatchObject({ stopReason: 'end_turn' });
        expect(await b.ask('say: the second one')).toMatchObject({ stopReason: 'end_turn' });
        expect(b.texts).toEqual(['the first answer, 世界🌍', 'the second one']);
        expect(b.all('unknown')).toEqual([]);
        expect(new Set(b.all('session.opened').map((e) => e.nativeId)).size).toBe(1);
        if (!suite.wholeTexts)
          expect(b.all('text').filter((e) => e.delta !== undefined).length).toBeGreaterThan(1);
        if (suite.noTurnUsage) return;
        const turns = b.all('usage').filter((e) => e.usage.scope === 'turn');
        expect(turns.length).toBe(2);
        expect(turns[1]!.usage.outputTokens).toBeLessThan(200);
      });

      it('shows a shell command with its output, and an edit', async () => {
        writeFileSync(join(home.project, 'notes.txt'), 'alpha\nbeta\n');
        const b = await open();
        expect(await b.ask('bash: echo out-1; echo out-2')).toMatchObject({ stopReason: 'end_turn' });
        const call = b.all('tool.started').find((e) => e.call.kind === 'execute');
        const end = b.all('tool.finished').find((e) => e.toolCallId === call?.call.toolCallId);
        expect(end?.status).toBe('completed');
        expect(JSON.stringify(end?.content)).toContain('out-2');
        const file = join(home.project, 'notes.txt');
        await b.ask('bash: cat notes.txt');
        await b.ask(`tool: ${readTool(b)} {"file_path":"${file}"}`);
        expect(await b.ask('edit: notes.txt=beta=>BETA')).toMatchObject({ stopReason: 'end_turn' });
        expect(readFileSync(file, 'utf8')).toBe('alpha\nBETA\n');
        const edits = b.all('tool.started').filter((e) => e.call.kind === 'edit');
        expect(edits.length).toBeGreaterThan(0);
        if (suite.diffs) {
          const all = JSON.stringify([
            ...b.all('tool.started'),
            ...b.all('tool.updated'),
            ...b.all('tool.finished'),
          ]);
          expect(all).toContain('"type":"diff"');
        }
      });

      it('interrupts a turn; the next one works', async () => {
        const b = await open();
        const turn = b.turn('slow: 400');
        await b.controller.prompt(turn);
        if (suite.wholeTexts)
          await b.until(() => home.server.requests.some((r) => r.directive === 'slow'), 'the request');
        else await b.seen('text');
        await b.controller.cancel();
        expect(await b.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
        expect(await b.ask('say: going on')).toMatchObject({ stopReason: 'end_turn' });
        expect(b.texts.at(-1)).toBe('going on');
      });

      it('is stopped, and resumed by its id in a new process', async () => {
        const first = await open();
        await first.ask('say: before the stop');
        const nativeId = first.all('session.opened').at(-1)?.nativeId;
        await first.controller.stop();
        expect(first.end).toMatchObject({ status: 'stopped' });
        const second = await open(free, nativeId);
        expect(await second.ask('say: after the stop')).toMatchObject({ stopReason: 'end_turn' });
        expect(second.all('session.opened').map((e) => e.nativeId)).toContain(nativeId);
        expect(second.all('notice').filter((e) => e.kind === 'context-reset')).toEqual([]);
        await first.dispose();
      });

      it('a dead id is told as dead', async () => {
        const dead = '00000000-0000-4000-8000-000000000000';
        const failure = await open(free, dead)
          .then((b) => b.ask('say: x'))
          .then((end) => end.failure)
          .catch((error: { failure?: unknown }) => error.failure);
        expect(failure).toMatchObject({ kind: 'request', deadNativeId: dead });
      });

      it('an API error fails the turn with its cause', async () => {
        const b = await open();
        const end = await b.ask(`error: ${suite.error.status}`);
        expect(end).toMatchObject({ stopReason: 'error', failure: { kind: suite.error.kind } });
      });

      it('goes on in a new daemon in the middle of a turn', async () => {
        const b = await open();
        const turn = b.turn('slow: 40');
        await b.controller.prompt(turn);
        if (suite.wholeTexts)
          await b.until(() => home.server.requests.some((r) => r.directive === 'slow'), 'the request');
        else await b.until(() => b.all('text').length > 5, 'some text');
        b.die();
        if (!suite.wholeTexts) await b.printedMore();
        await b.handOver(turn);
        expect(await b.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
        const ticks = Array.from({ length: 40 }, (_, i) => `tick ${i + 1}/40`).join('\n');
        expect(b.texts).toEqual([ticks]);
      });

      suite.more?.(open, () => home);
    },
  );
}

/** Some edit tools want the file read before. */
function readTool(bench: Bench): string {
  const tools = bench.all('session.opened').at(-1)?.tools ?? [];
  return tools.includes('Read') ? 'Read' : 'read_file';
}
