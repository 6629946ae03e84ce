import { describe, expect, it } from 'vitest';
import { parseMcpServers, serversFor } from '../../../src/acp/mcp.js';
import { permissionRequest, permissionResult } from '../../../src/acp/permissions.js';
import { agentInfo } from '../../../src/acp/shapes.js';
import type { PermissionId, RunId, SessionId } from '../../../src/model/ids.js';

const stamp = { id: 'q-1' as PermissionId, sessionId: 's-1' as SessionId, runId: 'r-1' as RunId, askedAt: 0 };

describe('permission requests', () => {
  const request = permissionRequest(
    {
      id: 0,
      method: 'session/request_permission',
      params: {
        toolCall: { toolCallId: 't', kind: 'execute', rawInput: { command: 'rm -r x' } },
        options: [
          { optionId: 'proceed_always', kind: 'allow_always', name: 'Always' },
          { optionId: 'proceed_once', kind: 'allow_once', name: 'Once' },
          { optionId: 'odd', kind: 'brand_new', name: 'Odd' },
        ],
      },
    },
    stamp,
  );

  it('keeps the order and shows a kind it does not know without guessing', () => {
    expect(request).toMatchObject({ title: 'rm -r x', command: 'rm -r x', toolKind: 'execute' });
    expect(request.options.map((option) => option.kind)).toEqual(['allow_always', 'allow_once', 'other']);
  });

  it('answers with an offered option, else cancelled', () => {
    const yes = permissionResult(request, { outcome: 'selected', optionId: 'proceed_once' });
    expect(yes).toEqual({ outcome: { outcome: 'selected', optionId: 'proceed_once' } });
    const never = permissionResult(request, { outcome: 'selected', optionId: 'not-offered' });
    expect(never).toEqual({ outcome: { outcome: 'cancelled' } });
  });
});

describe('MCP servers', () => {
  const { servers, problems } = parseMcpServers(
    {
      mcpServers: {
        lab: { command: 'lab', args: ['-x'], env: { A: '1' } },
        web: { type: 'http', url: 'http://x' },
        odd: {},
      },
    },
    '.mcp.json',
  );
  const v1 = agentInfo({ protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } });

  it('are read in the shape of ACP; a broken entry is named', () => {
    expect(servers[0]).toEqual({
      name: 'lab',
      command: 'lab',
      args: ['-x'],
      env: [{ name: 'A', value: '1' }],
    });
    expect(problems).toEqual(['.mcp.json: the server "odd" has neither a command nor a url.']);
  });

  it('go to an agent by capability and quirk', () => {
    expect(serversFor(servers, v1, []).map((server) => server.name)).toEqual(['lab', 'web']);
    expect(serversFor(servers, v1, ['mcp-http-only']).map((server) => server.name)).toEqual(['web']);
    expect(serversFor(servers, v1, ['no-mcp'])).toEqual([]);
    expect(serversFor(servers, agentInfo({ protocolVersion: 1 }), []).map((server) => server.name)).toEqual([
      'lab',
    ]);
  });
});
