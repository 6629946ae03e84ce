// The real Qwen Code through the ACP controller.
import { expect, it } from 'vitest';
import { realCli } from '../helpers/real-cli.js';
import { describeReal } from '../helpers/real-suite.js';

describeReal({
  cli: await realCli('qwen-acp'),
  free: { permission: 'yolo', model: 'fake-model' },
  error: { status: 401, kind: 'auth' },
  diffs: true,
  noTurnUsage: true,
  more(open) {
    it('asks before it runs a command', async () => {
      const b = await open({ permission: 'default', model: 'fake-model' });
      const turn = b.turn('bash: touch asked.txt; echo made it');
      await b.controller.prompt(turn);
      const { request } = await b.seen('permission.asked');
      expect(request).toMatchObject({ kind: 'permission', toolKind: 'execute' });
      const allow = request.options.find((option) => option.kind === 'allow_once')!;
      b.controller.answer(request.id, { outcome: 'selected', optionId: allow.optionId });
      expect(await b.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
      expect(JSON.stringify(b.all('tool.finished'))).toContain('made it');
    });
  },
});
