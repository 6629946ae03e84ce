// Doctor's look at what happens at logout: the login scope, linger, and whether systemd kills what a user leaves behind.
import { readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { runCommand } from '../io/run-command.js';
import { info, ok, warning, type Finding } from './doctor-finding.js';

/** `pids`: daemon and keeper, when they run. */
export async function checkLoginScope(pids: { daemon?: number; keeper?: number }): Promise<Finding[]> {
  if (process.platform !== 'linux') return [ok('scope.none', 'No login scopes on this system')];
  const killers = killUserProcesses();
  const findings: Finding[] = [];
  for (const [name, pid] of Object.entries(pids)) {
    const group = cgroupOf(String(pid));
    if (group === undefined) continue;
    const session = /session-[^/]+\.scope/.exec(group)?.[0];
    if (!session)
      findings.push(ok(`scope.${name}`, `The ${name} (pid ${pid}) is outside of the login session`, group));
    else
      findings.push(
        killers
          ? warning(`scope.${name}`, `The ${name} is inside ${session}: it ends when you log out`, {
              cure: 'loginctl enable-linger, then "agentile daemon stop --all" and start again: it then runs under your user manager.',
            })
          : info(`scope.${name}`, `The ${name} is inside ${session}`, {
              detail: 'This system lets it live on after logout.',
            }),
      );
  }
  findings.push(await lingerFinding(killers));
  return findings;
}

async function lingerFinding(killers: boolean): Promise<Finding> {
  const user = userInfo().username;
  const outcome = await runCommand('loginctl', ['show-user', user, '--property=Linger'], { timeoutMs: 3000 });
  const linger = /Linger=(yes|no)/.exec(outcome.output)?.[1];
  if (linger === 'yes') return ok('scope.linger', 'Linger is on: your user manager stays after logout');
  if (linger === undefined)
    return killers
      ? warning('scope.linger', 'KillUserProcesses is on, and linger is not known', {
          cure: `loginctl enable-linger ${user}`,
        })
      : ok('scope.linger', 'No systemd login here, or it keeps what you leave running');
  return killers
    ? warning('scope.linger', 'KillUserProcesses is on and linger is off: agents end when you log out', {
        cure: `loginctl enable-linger ${user}`,
      })
    : info('scope.linger', 'Linger is off; this system keeps what you leave running', {
        cure: `To be safe: loginctl enable-linger ${user}`,
      });
}

function cgroupOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n').at(-1)?.replace(/^0::/, '');
  } catch {
    // It has ended since, or belongs to somebody else.
    return undefined;
  }
}

/** The last word of logind.conf and its drop-ins; systemd's own default is "no". */
function killUserProcesses(): boolean {
  const files = ['/etc/systemd/logind.conf'];
  for (const folder of ['/usr/lib/systemd/logind.conf.d', '/etc/systemd/logind.conf.d']) {
    try {
      files.push(
        ...readdirSync(folder)
          .sort()
          .map((name) => `${folder}/${name}`),
      );
    } catch {
      // No drop-ins there.
    }
  }
  let value = false;
  for (const file of files) {
    try {
      for (const match of readFileSync(file, 'utf8').matchAll(/^\s*KillUserProcesses\s*=\s*(\S+)/gim))
        value = /^(yes|true|1|on)$/i.test(match[1] ?? '');
    } catch {
      // Not readable or not there: the default stands.
    }
  }
  return value;
}
