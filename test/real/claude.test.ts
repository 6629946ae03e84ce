// The real Claude Code through the persistent controller.
import { expect, it } from 'vitest';
import { realCli } from '../helpers/real-cli.js';
import { describeReal } from '../helpers/real-suite.js';

describeReal({
  cli: await realCli('claude'),
  free: { permission: 'bypassPermissions' },
  env: { CLAUDE_CODE_MAX_RETRIES: '0', DISABLE_TELEMETRY: '1' },
  error: { status: 401, kind: 'auth' },
  diffs: true,
  more(open, home) {
    it('asks before it runs a command; always writes the rule it names', async () => {
      const b = await open({ permission: 'default' });
      const turn = b.turn('bash: touch asked.txt; echo made it');
      await b.controller.prompt(turn);
      const { request } = await b.seen('permission.asked');
      expect(request).toMatchObject({ kind: 'permission', command: 'touch asked.txt; echo made it' });
      expect(request.options.map((o) => o.kind)).toContain('allow_always');
      b.controller.answer(request.id, { outcome: 'selected', optionId: 'allow' });
      expect(await b.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
      expect(JSON.stringify(b.all('tool.finished'))).toContain('made it');
      expect(home().server.requests.length).toBeGreaterThan(1);
    });

    it('A12: asks a question and gets the answer', async () => {
      const b = await open({ permission: 'default' });
      const input = {
        questions: [
          {
            question: 'Which colour?',
            header: 'Colour',
            multiSelect: false,
            options: [
              { label: 'Red', description: 'warm' },
              { label: 'Blue', description: 'cold' },
            ],
          },
        ],
      };
      const turn = b.turn(`tool: AskUserQuestion ${JSON.stringify(input)}`);
      await b.controller.prompt(turn);
      const { request } = await b.seen('permission.asked');
      expect(request).toMatchObject({ kind: 'question', questions: [{ question: 'Which colour?' }] });
      b.controller.answer(request.id, { outcome: 'answers', answers: { 'Which colour?': 'Blue' } });
      expect(await b.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
      expect(b.texts.join()).toContain('Blue');
    });

    it('changes its model between turns', async () => {
      const b = await open({ permission: 'default' });
      expect(await b.controller.configure!({ model: 'sonnet' })).toBe(true);
      expect(b.all('session.updated').at(-1)?.model).toMatch(/sonnet/);
      expect(await b.ask('say: ok')).toMatchObject({ stopReason: 'end_turn' });
    });
  },
});
