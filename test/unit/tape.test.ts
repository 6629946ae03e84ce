import { describe, expect, it } from 'vitest';
import { parseTape } from '../helpers/tape.js';

describe('the tape player reads VHS syntax', () => {
  it('reads every kind of line', () => {
    const commands = parseTape(
      [
        '# a comment',
        'Output demo.gif',
        'Set Width 120',
        'Type "ls -l"',
        'Enter 2',
        'Ctrl+]',
        'Alt+h',
        'Sleep 500ms',
        'Wait+Screen@3s /done/',
      ].join('\n'),
    );
    expect(commands).toEqual([
      { type: 'ignored', name: 'Output', value: 'demo.gif' },
      { type: 'set', name: 'Width', value: '120' },
      { type: 'type', text: 'ls -l' },
      { type: 'key', name: 'Enter', count: 2 },
      { type: 'chord', modifiers: ['Ctrl'], key: ']' },
      { type: 'chord', modifiers: ['Alt'], key: 'h' },
      { type: 'sleep', ms: 500 },
      { type: 'wait', scope: 'screen', pattern: /done/, timeoutMs: 3000 },
    ]);
  });

  it('refuses a word it does not know, with the line', () => {
    expect(() => parseTape('Type "a"\nDance')).toThrow('tape line 2: not understood: Dance');
  });
});
