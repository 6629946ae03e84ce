// The real Gemini CLI through the subprocess controller.
import { realCli } from '../helpers/real-cli.js';
import { describeReal } from '../helpers/real-suite.js';

describeReal({
  cli: await realCli('gemini'),
  free: { permission: 'yolo', model: 'gemini-2.5-flash' },
  error: { status: 401, kind: 'auth' },
  diffs: true,
});
