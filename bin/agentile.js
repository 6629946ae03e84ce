#!/usr/bin/env node
// Loads the built program, nothing else.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const entry = new URL('../dist/cli.js', import.meta.url);
if (!existsSync(fileURLToPath(entry))) {
  process.stderr.write('agentile: dist/ is missing. Run "npm run build" in the agentile folder.\n');
  process.exit(1);
}
await import(entry.href);
