// Makes a Key from its label, for tests: key('ctrl+a'), key('?'), key('up').
import type { Key } from '../../../src/model/key.js';

export function key(label: string, more: Partial<Key> = {}): Key {
  const parts = label.split('+');
  const name = label.endsWith('++') ? '+' : parts[parts.length - 1]!;
  const [ctrl, alt, shift] = ['ctrl', 'alt', 'shift'].map((mod) => parts.slice(0, -1).includes(mod));
  const text = name.length === 1 && !ctrl ? name : name === 'space' && !ctrl ? ' ' : '';
  const base = { name: name.length === 1 ? name.toLowerCase() : name, text };
  return { ...base, ctrl: ctrl!, alt: alt!, shift: shift!, meta: false, action: 'press', raw: '', ...more };
}
