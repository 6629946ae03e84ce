// The real Codex through the subprocess controller.
import { realCli } from '../helpers/real-cli.js';
import { describeReal } from '../helpers/real-suite.js';

describeReal({
  cli: await realCli('codex'),
  free: { permission: 'danger-full-access', model: 'gpt-5.5' },
  error: { status: 429, kind: 'rate-limit' },
  wholeTexts: true,
  diffs: false,
});
