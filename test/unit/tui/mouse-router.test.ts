// The mouse: focus, borders, tabs, the wheel, and what belongs to a child that asked for it.
import { describe, expect, it } from 'vitest';
import type { MouseEvent } from '../../../src/model/key.js';
import { DEFAULT_MODES, type PaneModes } from '../../../src/model/patch.js';
import { screenModel } from '../../../src/tui/chrome/screen-model.js';
import { buildKeymap } from '../../../src/tui/keymap.js';
import { routeMouse } from '../../../src/tui/mouse-router.js';
import type { UiState } from '../../../src/tui/state.js';
import { reduce } from '../../../src/tui/state-reduce.js';
import { NOW, paneId, sampleState, sampleView, tabId } from './sample.js';

const two = () => sampleState([sampleView(1, 'unknown'), sampleView(2, 'unknown')]);

function mouse(x: number, y: number, more: Partial<MouseEvent> = {}): MouseEvent {
  return { kind: 'press', button: 'left', x, y, shift: false, alt: false, ctrl: false, ...more };
}

function route(event: MouseEvent, state: UiState = two(), modes: Partial<PaneModes> = {}, heldBy = 0) {
  return routeMouse(event, {
    state,
    model: screenModel(state, buildKeymap(), NOW),
    modesOf: () => ({ ...DEFAULT_MODES, ...modes }),
    heldBy: heldBy ? paneId(heldBy) : null,
  });
}

describe('a click', () => {
  it('focuses the pane under it, by its body or its title', () => {
    expect(route(mouse(60, 5))).toEqual({ do: 'focus', paneId: paneId(2) });
    expect(route(mouse(60, 0))).toEqual({ do: 'focus', paneId: paneId(2) });
    expect(route(mouse(5, 5))).toEqual({ do: 'nothing' });
  });

  it('goes on to a child that asked for the mouse, in cells of its body', () => {
    expect(route(mouse(60, 5), two(), { mouse: 'vt200' })).toMatchObject({
      do: 'child',
      paneId: paneId(2),
      focus: true,
      mouse: { x: 60 - 41, y: 4 },
    });
  });

  it('on a tab shows it', () => {
    expect(route(mouse(2, 23))).toEqual({ do: 'tab', tabId: tabId(1) });
  });

  it('behind a dialog does nothing', () => {
    const open = reduce(two(), { type: 'dialog', dialog: { kind: 'inbox', cursor: 0 } });
    expect(route(mouse(60, 5), open)).toEqual({ do: 'nothing' });
  });
});

describe('moves', () => {
  it('belong to the child that was given the press, also outside of it', () => {
    const move = mouse(70, 10, { kind: 'move' });
    expect(route(move, two(), { mouse: 'drag' }, 1)).toMatchObject({ do: 'child', mouse: { x: 39, y: 9 } });
    expect(route(move, two(), { mouse: 'vt200' })).toEqual({ do: 'nothing' });
  });

  it('drag the border that was taken', () => {
    const start = route(mouse(40, 8));
    expect(start).toMatchObject({ do: 'drag-start', hit: { path: [], direction: 'right' } });
    const drag = { tabId: tabId(1), path: [], direction: 'right' as const };
    const state = reduce(two(), { type: 'drag', drag });
    const moved = route(mouse(20, 8, { kind: 'move' }), state);
    expect(moved).toMatchObject({ do: 'drag', path: [] });
    expect((moved as { ratio: number }).ratio).toBeCloseTo(21 / 81, 2);
    expect(route(mouse(20, 8, { kind: 'release' }), state)).toEqual({ do: 'drag-end' });
  });
});

describe('the wheel', () => {
  const up = mouse(5, 5, { kind: 'wheel', button: 'wheel-up' });
  it('scrolls a pane', () => {
    expect(route(up)).toEqual({ do: 'scroll', paneId: paneId(1), lines: 3 });
  });

  it('is passed on to a child that asked, unless the pane is scrolled', () => {
    expect(route(up, two(), { mouse: 'any' })).toMatchObject({ do: 'child', focus: false });
    const scrolled = reduce(two(), { type: 'scrolled', paneId: paneId(1), offset: 5, historyLines: 50 });
    expect(route(up, scrolled, { mouse: 'any' })).toMatchObject({ do: 'scroll' });
  });

  it('is arrow keys on the alternate screen without mouse', () => {
    expect(route(up, two(), { altScreen: true })).toMatchObject({ do: 'arrows', name: 'up', count: 3 });
  });
});
