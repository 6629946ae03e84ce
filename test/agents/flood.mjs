// Prints COUNT numbered lines of 64 characters as fast as they are taken, then "END". With a third argument it waits for
// a line on stdin after END, so that it stays alive.
const count = Number(process.argv[2]);
const stay = process.argv[3] === 'stay';
let next = 0;
const pump = () => {
  let more = true;
  while (next < count && more) {
    let text = '';
    for (let i = 0; i < 200 && next < count; i += 1, next += 1)
      text += `${String(next).padStart(10, '0')} ${'x'.repeat(52)}\n`;
    more = process.stdout.write(text);
  }
  if (next < count) process.stdout.once('drain', pump);
  else process.stdout.write('END\n');
};
pump();
if (stay) process.stdin.once('data', () => process.exit(0));
