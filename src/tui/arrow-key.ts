// The arrow keys a turn of the wheel becomes for a program without mouse.
import type { Key } from '../model/key.js';

export function arrowKey(name: 'up' | 'down'): Key {
  const raw = name === 'up' ? '\x1b[A' : '\x1b[B';
  return { name, text: '', ctrl: false, alt: false, shift: false, meta: false, action: 'press', raw };
}
