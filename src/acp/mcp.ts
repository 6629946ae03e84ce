// MCP servers for a session: read from the folder's .mcp.json, given in ACP's shape, left out where an agent cannot take them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, messageOf } from '../base/errors.js';
import type { Quirk } from '../model/provider.js';
import { object, string, type AgentInfo } from './shapes.js';

export type McpServer =
  | { name: string; command: string; args: string[]; env: { name: string; value: string }[] }
  | { type: 'http' | 'sse'; name: string; url: string; headers: { name: string; value: string }[] };

export interface McpFile {
  servers: McpServer[];
  /** Words for the transcript when the file or an entry could not be read. */
  problems: string[];
}

/** A missing file is no problem; a broken one is named and the agent starts without it. */
export function readMcpFile(cwd: string): McpFile {
  const file = join(cwd, '.mcp.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { servers: [], problems: errnoOf(error) === 'ENOENT' ? [] : [`${file}: ${messageOf(error)}`] };
  }
  try {
    return parseMcpServers(JSON.parse(text), file);
  } catch (error) {
    return { servers: [], problems: [`${file} is not JSON: ${messageOf(error)}`] };
  }
}

export function parseMcpServers(value: unknown, where: string): McpFile {
  const result: McpFile = { servers: [], problems: [] };
  for (const [name, entry] of Object.entries(object(object(value)['mcpServers']))) {
    const server = parseServer(name, object(entry));
    if (server) result.servers.push(server);
    else result.problems.push(`${where}: the server "${name}" has neither a command nor a url.`);
  }
  return result;
}

function parseServer(name: string, entry: Record<string, unknown>): McpServer | undefined {
  const command = string(entry['command']);
  if (command !== undefined) {
    const args = Array.isArray(entry['args']) ? entry['args'].map(String) : [];
    return { name, command, args, env: pairs(entry['env']) };
  }
  const url = string(entry['url']);
  if (url === undefined) return undefined;
  return { type: entry['type'] === 'sse' ? 'sse' : 'http', name, url, headers: pairs(entry['headers']) };
}

function pairs(value: unknown): { name: string; value: string }[] {
  return Object.entries(object(value)).map(([name, entry]) => ({ name, value: String(entry as string) }));
}

/** stdio for all who take it, http and sse only where announced, none for agents that fail on any (facts: §2.9). */
export function serversFor(
  servers: readonly McpServer[],
  info: AgentInfo,
  quirks: readonly Quirk[],
): McpServer[] {
  if (quirks.includes('no-mcp')) return [];
  return servers.filter((server) => {
    if (!('type' in server)) return info.mcpStdio && !quirks.includes('mcp-http-only');
    return server.type === 'http' ? info.mcpHttp : info.mcpSse;
  });
}
