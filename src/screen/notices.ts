// What a child says to the person and not to its screen: clipboard writes (OSC 52), notifications (OSC 9, 99, 777), the
// working folder (OSC 7) and its status (OSC 7501). All of it is untrusted text: capped, and freed of control characters.
import type { Core } from './xterm-internals.js';

export interface NoticeSinks {
  clipboard(text: string): void;
  notification(note: { title: string; body: string }): void;
  cwd(path: string): void;
  programStatus(fields: Record<string, string>): void;
}

/** Base64 of about 1 MiB; hosts cut longer ones or hang on them. */
const CLIPBOARD_MAX_CHARS = 1_400_000;
const TITLE_MAX_CHARS = 200;
const BODY_MAX_CHARS = 2000;
const CWD_MAX_CHARS = 4096;
/** The limit of the specification. */
const STATUS_MAX_CHARS = 4096;
/** Notifications in pieces (OSC 99) that are not finished yet. */
const MAX_OPEN_NOTES = 16;

export function attachNotices(core: Core, sinks: NoticeSinks): void {
  const input = core._inputHandler;
  const pieces = new NotePieces(sinks);
  const handlers: [code: number, handle: (body: string) => void][] = [
    [52, (body) => handleClipboard(body, sinks)],
    [9, (body) => handleOsc9(body, sinks)],
    [777, (body) => handleOsc777(body, sinks)],
    [99, (body) => pieces.add(body)],
    [7, (body) => handleCwd(body, sinks)],
    [7501, (body) => handleStatus(body, sinks)],
  ];
  for (const [code, handle] of handlers) {
    input.registerOscHandler(code, (body) => {
      handle(body);
      return true;
    });
  }
}

function clean(text: string, maxChars: number): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, maxChars);
}

function decodeBase64(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)) return undefined;
  return Buffer.from(text, 'base64').toString('utf8');
}

/** A write only: "?" asks for what the person copied elsewhere and is never answered; empty would clear it. */
function handleClipboard(body: string, sinks: NoticeSinks): void {
  const payload = body.slice(body.indexOf(';') + 1);
  if (!body.includes(';') || payload === '?' || payload.length > CLIPBOARD_MAX_CHARS) return;
  const text = decodeBase64(payload);
  if (text) sinks.clipboard(text);
}

function notify(sinks: NoticeSinks, title: string, body: string): void {
  const note = { title: clean(title, TITLE_MAX_CHARS), body: clean(body, BODY_MAX_CHARS) };
  if (note.title.trim() || note.body.trim()) sinks.notification(note);
}

/** `9;text` is a notification; `9;number;…` are ConEmu's commands (4: progress), which are none. */
function handleOsc9(body: string, sinks: NoticeSinks): void {
  if (!/^\d+(;|$)/.test(body)) notify(sinks, '', body);
}

function handleOsc777(body: string, sinks: NoticeSinks): void {
  const [kind, title = '', ...rest] = body.split(';');
  if (kind === 'notify') notify(sinks, title, rest.join(';'));
}

/** kitty's notifications (OSC 99): title and body may come in pieces under one id, `d=0` says that more follows. */
class NotePieces {
  readonly #sinks: NoticeSinks;
  readonly #open = new Map<string, { title: string; body: string }>();

  constructor(sinks: NoticeSinks) {
    this.#sinks = sinks;
  }

  add(body: string): void {
    const split = body.indexOf(';');
    if (split < 0) return;
    const fields = readFields(body.slice(0, split));
    const kind = fields['p'] ?? 'title';
    if (kind !== 'title' && kind !== 'body') return;
    const payload = body.slice(split + 1);
    const text = fields['e'] === '1' ? (decodeBase64(payload) ?? '') : payload;
    const id = fields['i'] ?? '';
    const note = this.#open.get(id) ?? { title: '', body: '' };
    note[kind] = (note[kind] + text).slice(0, BODY_MAX_CHARS);
    this.#open.delete(id);
    if (fields['d'] !== '0') notify(this.#sinks, note.title, note.body);
    else this.#keep(id, note);
  }

  #keep(id: string, note: { title: string; body: string }): void {
    this.#open.set(id, note);
    const oldest = this.#open.keys().next();
    if (this.#open.size > MAX_OPEN_NOTES && !oldest.done) this.#open.delete(oldest.value);
  }
}

/** `key=value` pairs between colons. */
function readFields(text: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const pair of text.split(':')) {
    const split = pair.indexOf('=');
    if (split > 0) fields[pair.slice(0, split)] = clean(pair.slice(split + 1), STATUS_MAX_CHARS);
  }
  return fields;
}

function handleCwd(body: string, sinks: NoticeSinks): void {
  const match = /^file:\/\/[^/]*(\/.*)$/s.exec(body);
  if (!match || body.length > CWD_MAX_CHARS) return;
  let path = match[1]!;
  try {
    path = decodeURIComponent(path);
  } catch {
    // A shell that does not escape a percent sign means it literally.
  }
  if (!/[\u0000-\u001f\u007f]/.test(path)) sinks.cwd(path);
}

function handleStatus(body: string, sinks: NoticeSinks): void {
  if (body === '?' || body.length > STATUS_MAX_CHARS) return;
  const fields = readFields(body);
  if (Object.keys(fields).length > 0) sinks.programStatus(fields);
}
