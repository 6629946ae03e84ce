// Never reads its input (on a PTY in raw mode), and lives until it is killed.
if (process.stdin.isTTY) process.stdin.setRawMode(true);
process.stdout.write('ready\n');
setTimeout(() => undefined, 2 ** 30);
