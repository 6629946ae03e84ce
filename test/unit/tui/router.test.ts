// Where keys go. A36: nothing but the prefix and the Alt bindings is taken from a child.
import { describe, expect, it } from 'vitest';
import { buildKeymap } from '../../../src/tui/keymap.js';
import { routeKey, type RouteContext } from '../../../src/tui/router.js';
import { key } from './keys.js';

const context = (more: Partial<RouteContext> = {}): RouteContext => ({
  keymap: buildKeymap(),
  prefixOpen: false,
  repeatOpen: false,
  dialogOpen: false,
  scrolling: false,
  hasPane: true,
  ...more,
});

describe('A36: what a child may have', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  it.each([
    ...letters.map((letter) => `ctrl+${letter}`),
    ...letters,
    ...[
      'escape',
      'enter',
      'tab',
      'backspace',
      'space',
      'up',
      'pageup',
      'f1',
      'shift+tab',
      'ctrl+space',
      '?',
      '[',
    ],
    ...['alt+a', 'alt+b', 'alt+f', 'alt+enter', 'alt+0', 'ctrl+alt+h', 'shift+f5'],
  ])('%s goes to it', (label) => {
    expect(routeKey(key(label), context())).toEqual({ to: 'pane', key: key(label) });
  });

  it('the prefix typed twice goes to it once', () => {
    expect(routeKey(key('ctrl+]'), context())).toEqual({ to: 'prefix' });
    expect(routeKey(key('ctrl+]'), context({ prefixOpen: true }))).toEqual({
      to: 'pane',
      key: key('ctrl+]'),
    });
  });

  it('an unbound Alt key goes to it', () => {
    const keymap = buildKeymap({ 'focus-left': false });
    expect(routeKey(key('alt+h'), context({ keymap })).to).toBe('pane');
    expect(routeKey(key('alt+h'), context())).toEqual({ to: 'action', id: 'focus-left', repeats: false });
  });

  it('releases follow their presses', () => {
    expect(routeKey(key('a', { action: 'release' }), context()).to).toBe('pane');
    expect(routeKey(key('alt+h', { action: 'release' }), context()).to).toBe('nowhere');
    expect(routeKey(key('ctrl+]', { action: 'release' }), context()).to).toBe('nowhere');
  });
});

describe('our own keys', () => {
  it('a key after the prefix acts; one without a meaning is said, not sent', () => {
    const open = context({ prefixOpen: true });
    expect(routeKey(key('?'), open)).toEqual({ to: 'action', id: 'help', repeats: false });
    expect(routeKey(key('"'), open)).toMatchObject({ id: 'split-below' });
    expect(routeKey(key('space'), open)).toMatchObject({ id: 'next-layout' });
    expect(routeKey(key('y'), open)).toEqual({ to: 'unbound', label: 'y' });
    expect(routeKey(key('escape'), open)).toEqual({ to: 'nowhere' });
  });

  it('a resize repeats without the prefix, other keys do not', () => {
    expect(routeKey(key('H'), context({ repeatOpen: true }))).toMatchObject({
      id: 'resize-left',
      repeats: true,
    });
    expect(routeKey(key('n'), context({ repeatOpen: true })).to).toBe('pane');
    expect(routeKey(key('H'), context()).to).toBe('pane');
  });

  it('a dialog has all keys but the prefix', () => {
    const open = context({ dialogOpen: true });
    expect(routeKey(key('alt+h'), open).to).toBe('dialog');
    expect(routeKey(key('escape'), open)).toMatchObject({ to: 'dialog', action: 'dialog-close' });
    expect(routeKey(key('ctrl+]'), open).to).toBe('prefix');
  });

  it('scrolling keeps plain keys from the child', () => {
    const scrolling = context({ scrolling: true });
    expect(routeKey(key('G'), scrolling)).toMatchObject({ id: 'scroll-bottom' });
    expect(routeKey(key('x'), scrolling)).toEqual({ to: 'nowhere' });
    expect(routeKey(key('alt+l'), scrolling)).toMatchObject({ id: 'focus-right' });
  });
});
