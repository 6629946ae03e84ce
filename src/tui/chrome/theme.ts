// How the chrome looks on this host: colours or not, box-drawing glyphs or ASCII.
import { STATUS_TABLE, type StatusWord } from '../../model/status.js';
import type { HostSize } from '../state.js';
import { styled, type Colour, type Look } from './text.js';

export interface Theme {
  unicode: boolean;
  paint(text: string, look: Look): string;
  /** Cuts mark themselves with this. */
  ellipsis: string;
  focusMark: string;
  bar: string;
  dash: string;
  up: string;
  down: string;
  dot: string;
  cursorMark: string;
  checked: string;
  unchecked: string;
  corners: { topLeft: string; topRight: string; bottomLeft: string; bottomRight: string };
}

export function makeTheme(host: Pick<HostSize, 'colors' | 'unicode'>): Theme {
  const colours = host.colors !== 'none';
  const paint = (text: string, look: Look) => styled(text, look, colours);
  return host.unicode ? { ...UNICODE, paint } : { ...ASCII, paint };
}

const UNICODE: Omit<Theme, 'paint'> = {
  unicode: true,
  ellipsis: '…',
  focusMark: '▸',
  bar: '│',
  dash: '─',
  up: '↑',
  down: '↓',
  dot: '·',
  cursorMark: '›',
  checked: '[✓]',
  unchecked: '[ ]',
  corners: { topLeft: '┌', topRight: '┐', bottomLeft: '└', bottomRight: '┘' },
};

const ASCII: Omit<Theme, 'paint'> = {
  unicode: false,
  ellipsis: '~',
  focusMark: '>',
  bar: '|',
  dash: '-',
  up: '^',
  down: 'v',
  dot: '-',
  cursorMark: '>',
  checked: '[x]',
  unchecked: '[ ]',
  corners: { topLeft: '+', topRight: '+', bottomLeft: '+', bottomRight: '+' },
};

export function statusGlyph(theme: Theme, status: StatusWord): string {
  return theme.unicode ? STATUS_TABLE[status].glyph : STATUS_TABLE[status].ascii;
}

export function statusColour(status: StatusWord): Colour {
  return STATUS_TABLE[status].color as Colour;
}
