// The one-line editor: graphemes are one step, control characters never get in.
import { describe, expect, it } from 'vitest';
import { editField, insertText, textField, type TextField } from '../../../src/tui/text-field.js';
import { key } from './keys.js';

function type(field: TextField, ...labels: string[]): TextField {
  return labels.reduce((now, label) => editField(now, key(label)) ?? now, field);
}

describe('a text field', () => {
  it('edits at the cursor', () => {
    expect(type(textField('abc'), 'left', 'x')).toEqual({ text: 'abxc', cursor: 3 });
    expect(type(textField('abc'), 'home', 'delete', 'end', 'backspace').text).toBe('b');
    expect(type(textField('one two'), 'ctrl+w').text).toBe('one ');
    expect(type(textField('one two'), 'ctrl+a', 'ctrl+k').text).toBe('');
    expect(type(textField('one'), 'ctrl+u').text).toBe('');
  });

  it('steps over a family as over one letter', () => {
    expect(type(textField('a👨‍👩‍👧'), 'backspace')).toEqual({ text: 'a', cursor: 1 });
  });

  it('leaves other keys to others', () => {
    expect(editField(textField(), key('ctrl+x'))).toBeUndefined();
    expect(editField(textField(), key('alt+a'))).toBeUndefined();
    expect(editField(textField(), key('f1'))).toBeUndefined();
  });

  it('takes a paste in one line', () => {
    expect(insertText(textField('>'), 'a\nb\x1b[31m').text).toBe('>a b [31m');
  });
});
