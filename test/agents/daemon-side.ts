// A daemon's side of the keeper that can be killed: spawns or adopts one child and prints every piece of output as
// "<stream> <offset> <base64> ." before it acknowledges it. Bundled by the test that runs it.
//   spawn <json of ChildSpec>      |      adopt <childId> <stdout offset> <stderr offset>
import { resolvePaths } from '../../src/base/paths.js';
import { KeeperLink } from '../../src/keeper/link.js';
import type { ChildHandle } from '../../src/keeper/child-handle.js';
import type { ChildSpec } from '../../src/keeper/protocol.js';
import type { ChildId } from '../../src/model/ids.js';

const [what, subject, stdout, stderr] = process.argv.slice(2);
const link = await KeeperLink.connect(resolvePaths());
let handle: ChildHandle;
if (what === 'spawn') {
  handle = await link.spawn(JSON.parse(subject!) as ChildSpec);
} else {
  const from = { stdout: Number(stdout), stderr: Number(stderr) };
  ({ handle } = await link.adopt(subject as ChildId, from, false));
}
handle.onOutput(({ stream, offset, bytes }) => {
  process.stdout.write(`${stream} ${offset} ${Buffer.from(bytes).toString('base64')} .\n`, () =>
    handle.ack(stream, offset + bytes.length),
  );
});
handle.onExit((exit) => {
  process.stdout.write(`exit ${JSON.stringify(exit)}\n`, () => process.exit(0));
});
