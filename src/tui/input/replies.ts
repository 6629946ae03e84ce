// Answers of the host terminal that come as OSC or DCS strings, parsed. What is not known is kept raw: eaten, never typed.
import type { HostReply } from '../../model/key.js';

export type StringKind = 'osc' | 'dcs' | 'apc';

/** `body` is what stands between introducer and terminator, as a binary string. */
export function stringReply(kind: StringKind, body: string, raw: string): HostReply {
  if (kind === 'osc') return colorReply(body) ?? { kind: 'osc', raw };
  if (kind === 'dcs' && body.startsWith('>|')) {
    return { kind: 'xtversion', text: Buffer.from(body.slice(2), 'latin1').toString('utf8') };
  }
  return { kind: kind === 'apc' ? 'apc' : 'dcs', raw };
}

const SLOTS: Readonly<Record<string, 'fg' | 'bg' | 'cursor'>> = { 10: 'fg', 11: 'bg', 12: 'cursor' };

function colorReply(body: string): HostReply | undefined {
  const palette = /^4;(\d+);(.*)$/.exec(body);
  const dynamic = /^(1[0-2]);(.*)$/.exec(body);
  const value = palette?.[2] ?? dynamic?.[2];
  const rgb = value === undefined ? undefined : parseColor(value);
  if (!rgb) return undefined;
  if (palette) return { kind: 'color', slot: Number(palette[1]), rgb };
  return { kind: 'color', slot: SLOTS[dynamic![1]!]!, rgb };
}

/** X11 colour names as terminals answer them: `rgb:h…/h…/h…` (1-4 digits each), `rgba:` and `#rrggbb`. 8 bits each. */
function parseColor(value: string): [number, number, number] | undefined {
  const parts = /^rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(value);
  if (parts) return [scale(parts[1]!), scale(parts[2]!), scale(parts[3]!)];
  const hash = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(value);
  if (hash) return [parseInt(hash[1]!, 16), parseInt(hash[2]!, 16), parseInt(hash[3]!, 16)];
  return undefined;
}

function scale(hex: string): number {
  return Math.round((parseInt(hex, 16) / (16 ** hex.length - 1)) * 255);
}
