// Starts a child that stays when its parent is gone: the stray that process-group kills must catch. For the demo agent's faults.
import { spawn } from 'node:child_process';

export function spawnLingeringChild(): void {
  spawn('sleep', ['9999'], { stdio: 'ignore' }).unref();
}
