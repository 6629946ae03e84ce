// The built-in demo agent: a small ACP (v1) agent with no model behind it, and honest about that. Entry of dist/demo-agent.js.
// It answers by the first word of the prompt (src/demo/agent-script.ts) and remembers its sessions on disk.
import { JsonRpcPeer } from '../io/jsonrpc.js';
import { LineSplitter } from './agent-lines.js';
import { faultFromArgs, installFaults } from './agent-faults.js';
import { DemoAgent } from './agent-protocol.js';

const faults = faultFromArgs(process.argv.slice(2));
const peer = new JsonRpcPeer({ write: (line) => void process.stdout.write(`${line}\n`), firstId: 0 });
const agent = new DemoAgent(peer, faults);
const lines = new LineSplitter((line) => peer.receive(line));

installFaults(faults);
process.stdin.on('data', (chunk: Buffer) => lines.push(chunk));
process.stdin.on('end', () => {
  if (!faults.has('ignore-eof')) void agent.close().then(() => process.exit(0));
});
