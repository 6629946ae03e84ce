// What an agent says of itself in its answer to initialize, v1 and v2 in one shape. Pure.
type Json = Record<string, unknown>;

export interface AuthMethod {
  id: string;
  name: string;
  description?: string;
  /** Arguments of the provider's own login in a terminal, when the agent names them. */
  terminalArgs?: string[];
}

export interface AgentInfo {
  protocolVersion: number;
  name: string;
  version: string;
  loadSession: boolean;
  resumeSession: boolean;
  listSessions: boolean;
  closeSession: boolean;
  forkSession: boolean;
  mcpHttp: boolean;
  mcpSse: boolean;
  /** v2 agents announce stdio; v1 agents take it without a word. */
  mcpStdio: boolean;
  authMethods: AuthMethod[];
}

export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Announced: true, or an object (v1 newer and v2 write `{}` for yes). */
function announced(value: unknown): boolean {
  return value === true || (typeof value === 'object' && value !== null);
}

export function agentInfo(result: unknown): AgentInfo {
  const answer = object(result);
  const protocolVersion = typeof answer['protocolVersion'] === 'number' ? answer['protocolVersion'] : 1;
  const info = object(answer['agentInfo'] ?? answer['info']);
  const capabilities = protocolVersion >= 2 ? v2Capabilities(answer) : v1Capabilities(answer);
  return {
    protocolVersion,
    name: string(info['title']) ?? string(info['name']) ?? 'agent',
    version: string(info['version']) ?? '',
    ...capabilities,
    authMethods: authMethods(answer['authMethods']),
  };
}

type Capabilities = Omit<AgentInfo, 'protocolVersion' | 'name' | 'version' | 'authMethods'>;

function v1Capabilities(answer: Json): Capabilities {
  const agent = object(answer['agentCapabilities']);
  const session = object(agent['sessionCapabilities']);
  const mcp = object(agent['mcpCapabilities']);
  return {
    loadSession: agent['loadSession'] === true,
    resumeSession: announced(session['resume']),
    listSessions: announced(session['list']),
    closeSession: announced(session['close']),
    forkSession: announced(session['fork']),
    mcpHttp: mcp['http'] === true,
    mcpSse: mcp['sse'] === true,
    mcpStdio: true,
  };
}

/** v2: resume and list are part of every session; load is resume with a replay. */
function v2Capabilities(answer: Json): Capabilities {
  const session = object(object(answer['capabilities'])['session']);
  const mcp = object(session['mcp']);
  return {
    loadSession: false,
    resumeSession: true,
    listSessions: true,
    closeSession: true,
    forkSession: announced(session['fork']),
    mcpHttp: announced(mcp['http']),
    mcpSse: announced(mcp['sse']),
    mcpStdio: announced(mcp['stdio']),
  };
}

function authMethods(list: unknown): AuthMethod[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry) => {
    const item = object(entry);
    const id = string(item['methodId']) ?? string(item['id']);
    if (id === undefined) return [];
    const terminal = object(object(item['_meta'])['terminal-auth']);
    const args = item['args'] ?? terminal['args'];
    const description = string(item['description']);
    return [
      {
        id,
        name: string(item['name']) ?? id,
        ...(description ? { description } : {}),
        ...(Array.isArray(args) ? { terminalArgs: args.map(String) } : {}),
      },
    ];
  });
}
