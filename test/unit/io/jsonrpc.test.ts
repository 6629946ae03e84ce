import { describe, expect, it } from 'vitest';
import { CONNECTION_CLOSED, JsonRpcPeer, type RpcError, type RpcResponse } from '../../../src/io/jsonrpc.js';

function pair() {
  const out: string[] = [];
  const junk: string[] = [];
  const peer = new JsonRpcPeer({ write: (line) => out.push(line) });
  peer.onJunk((line) => junk.push(line));
  return { peer, out, junk };
}

describe('JSON-RPC peer', () => {
  it('asks and resolves with the result, whatever else it carries', async () => {
    const { peer, out } = pair();
    const answer = peer.request('initialize', { a: 1 });
    expect(JSON.parse(out[0]!)).toEqual({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { a: 1 } });
    peer.receive('{"jsonrpc":"2.0","id":1,"result":{"x":1,"_meta":{"kept":true}},"extra":1}');
    expect(await answer).toEqual({ x: 1, _meta: { kept: true } });
  });

  it('D02: scalars, arrays and log objects with the id of an open call are junk', async () => {
    const { peer, junk } = pair();
    const answer = peer.request('m', {});
    const lines = [
      '42',
      '"hi"',
      '[]',
      'null',
      '{"level":"info","id":1}',
      '{"id":1,"result":{}}',
      '{"jsonrpc":"2.0","id":1}',
    ];
    for (const line of lines) peer.receive(line);
    expect(junk).toEqual(lines);
    expect(peer.pendingCount).toBe(1);
    peer.receive('{"jsonrpc":"2.0","id":1,"result":null}');
    expect(await answer).toBeNull();
  });

  it('D01: lines that are not JSON are kept as junk', () => {
    const { peer, junk } = pair();
    for (const line of ['[Agent] ready', '', '\u001b[32mok\u001b[0m']) peer.receive(line);
    expect(junk).toEqual(['[Agent] ready', '', '\u001b[32mok\u001b[0m']);
  });

  it('answers requests whose id is 0 or a string', () => {
    const { peer, out } = pair();
    peer.onRequest((request) => peer.respond(request.id, undefined));
    peer.receive('{"jsonrpc":"2.0","id":0,"method":"fs/read","params":{}}');
    peer.receive('{"jsonrpc":"2.0","id":"a-1","method":"fs/read"}');
    expect(out.map((line) => JSON.parse(line))).toEqual([
      { jsonrpc: '2.0', id: 0, result: null },
      { jsonrpc: '2.0', id: 'a-1', result: null },
    ]);
  });

  it('rejects with code, message and data of the other side', async () => {
    const { peer } = pair();
    const answer = peer.request('m', {});
    peer.receive('{"jsonrpc":"2.0","id":1,"error":{"code":401,"message":"no","data":{"k":1}}}');
    await expect(answer).rejects.toMatchObject({ code: 401, message: 'no', data: { k: 1 } });
  });

  it('open calls die with the connection, later ones at once', async () => {
    const { peer } = pair();
    const open = peer.request('m', {});
    peer.close('the agent exited');
    await expect(open).rejects.toMatchObject({ code: CONNECTION_CLOSED, message: 'the agent exited' });
    await expect(peer.request('n', {})).rejects.toSatisfy(
      (error: RpcError) => error.code === CONNECTION_CLOSED,
    );
  });

  it('an answer to a posted call comes as an event, also when an earlier owner posted it', () => {
    const { peer, junk } = pair();
    const strays: RpcResponse[] = [];
    peer.onPostedResponse((response) => strays.push(response));
    peer.receive('{"jsonrpc":"2.0","id":"turn-t-1","result":{"stopReason":"end_turn"}}');
    expect(strays).toEqual([{ id: 'turn-t-1', result: { stopReason: 'end_turn' } }]);
    expect(junk).toEqual([]);
  });
});
