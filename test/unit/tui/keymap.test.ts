// The key table: no key twice in a layer, config laid over it, and what PRODUCT promises.
import { describe, expect, it } from 'vitest';
import { ACTIONS, buildKeymap, typedKeys } from '../../../src/tui/keymap.js';

describe('the key table', () => {
  it('gives no key to two actions of one layer', () => {
    const slots = ACTIONS.flatMap((action) => action.keys.map((key) => `${action.layer} ${key}`));
    expect(slots.filter((slot, at) => slots.indexOf(slot) !== at)).toEqual([]);
    expect(new Set(ACTIONS.map((action) => action.id)).size).toBe(ACTIONS.length);
  });

  it('takes only Alt keys outside the prefix', () => {
    for (const action of ACTIONS.filter((one) => one.layer === 'app'))
      for (const key of action.keys) expect(key).toMatch(/^(alt\+|prefix )/);
  });

  it('binds, rebinds and unbinds from the config', () => {
    const keymap = buildKeymap({ zoom: 'alt+f', 'focus-left': '', help: ['prefix f1', 'alt+?'] }, 'ctrl+a');
    expect(keymap.lookup('global', 'alt+f')?.id).toBe('zoom');
    expect(keymap.lookup('global', 'alt+z')).toBeUndefined();
    expect(keymap.lookup('global', 'alt+h')).toBeUndefined();
    expect(typedKeys(keymap, 'help')).toBe('ctrl+a f1');
    expect(keymap.lookup('global', 'alt+?')?.id).toBe('help');
    expect(typedKeys(keymap, 'focus-left')).toBe('');
    expect(keymap.problems).toEqual([]);
  });

  it('lets a key of the config win over the default of another action', () => {
    const keymap = buildKeymap({ help: 'prefix n' });
    expect(keymap.lookup('prefix', 'n')?.id).toBe('help');
    expect(typedKeys(keymap, 'new')).toBe('');
  });

  it('says which part of the config it cannot use', () => {
    const keymap = buildKeymap({ fly: 'f', help: 'y', new: 'y' });
    expect(keymap.problems).toHaveLength(2);
    expect(keymap.problems.join()).toContain('keys.bindings.fly');
  });
});
