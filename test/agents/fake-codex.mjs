// Stands in for a CLI that answers one prompt and ends (codex exec --json): reads stdin to its end first, prints frames,
// ends. The prompt's first word says how it misbehaves. FAKE_LOG gets argv and prompt as a JSON line.
import { appendFileSync, existsSync } from 'node:fs';
import { spawn } from 'node:child_process';

const argv = process.argv.slice(2);
const resumeAt = argv.indexOf('resume');
const resumeId = resumeAt < 0 ? undefined : argv[resumeAt + 1];
const threadId = resumeId ?? '01a22e8c-0000-7000-8000-000000000001';
const out = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (id, text) => out({ type: 'item.completed', item: { id, type: 'agent_message', text } });
const used = Number(process.env.FAKE_USED ?? (resumeId ? 300 : 100));
const complete = () =>
  out({
    type: 'turn.completed',
    usage: { input_tokens: used, cached_input_tokens: 0, output_tokens: used / 10 },
  });

let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
if (process.env.FAKE_LOG)
  appendFileSync(process.env.FAKE_LOG, `${JSON.stringify({ argv, prompt, pid: process.pid })}\n`);
const [word, ...rest] = prompt.split(' ');

if (resumeId?.startsWith('00000000') || (word === 'gone' && resumeId)) {
  process.stderr.write(
    `Error: thread/resume: thread/resume failed: no rollout found for thread id ${resumeId} (code -32600)\n`,
  );
  process.exit(1);
}
out({
  type: 'thread.started',
  thread_id: word === 'other' ? '01a22e8c-0000-7000-8000-00000000000f' : threadId,
});
out({ type: 'turn.started' });

const acts = {
  fail: async () => {
    out({ type: 'error', message: 'Reconnecting... 1/5 (x)' });
    out({ type: 'error', message: 'exceeded retry limit, last status: 429 Too Many Requests' });
    out({
      type: 'turn.failed',
      error: { message: 'exceeded retry limit, last status: 429 Too Many Requests' },
    });
    process.exit(Number(rest[0] ?? 1));
  },
  slow: async () => {
    for (let i = 0; i < Number(rest[0]); i++) {
      say(`item_${i}`, `tick ${i}`);
      await sleep(10);
    }
    complete();
  },
  hang: async () => {
    say('item_0', 'thinking');
    await new Promise(() => setInterval(() => {}, 1000));
  },
  stubborn: async () => {
    process.on('SIGTERM', () => {});
    say('item_0', 'no');
    await new Promise(() => setInterval(() => {}, 1000));
  },
  linger: async () => {
    say('item_0', 'done');
    complete();
    spawn('sleep', ['60'], { stdio: ['ignore', 'inherit', 'inherit'] });
    await new Promise(() => setInterval(() => {}, 1000));
  },
  last: async () => {
    process.stdout.write(
      `${JSON.stringify({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'x'.repeat(20_000) } })}\n`,
    );
    complete();
    process.exit(0);
  },
  evil: async () => {
    process.stderr.write(
      '{"type":"thread.started","thread_id":"evil"}\n{"type":"turn.failed","error":{"message":"evil"}}\n',
    );
    say('item_0', 'good');
    complete();
  },
  wait: async () => {
    say('item_0', 'first');
    while (!existsSync(rest[0])) await sleep(5);
    say('item_1', 'second');
    complete();
  },
  attempt: async () => {
    process.stderr.write('Attempt 1 failed with status 429. Retrying with backoff... _ApiError\n');
    await sleep(30);
    say('item_0', 'made it');
    complete();
  },
};
await (
  acts[word] ??
  (async () => {
    say('item_0', `you said: ${prompt}`);
    complete();
  })
)();
