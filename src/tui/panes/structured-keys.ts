// What keys and pastes do in a structured pane: the composer, its history and queue, and the card while it has the focus.
// The daemon is asked through the ports' context; the composer is changed in the client's state.
import { keyLabel, type Key } from '../../model/key.js';
import type { PermissionAnswer, PermissionRequest } from '../../model/permission.js';
import type { SessionView } from '../../wire/messages.js';
import { answered, cardStep, rejection, type CardStep } from './card.js';
import {
  clearText,
  composedText,
  edit,
  EMPTY_COMPOSER,
  insert,
  moveHistory,
  moveLine,
  paste,
  withText,
  type Composer,
} from './composer.js';
import type { ComposerAction } from '../keymap.js';
import type { PanePorts } from './pane-kind.js';

export function structuredKey(key: Key, ports: PanePorts): void {
  if (key.action === 'release') return;
  const desk = deskOf(ports);
  if (!desk) return;
  const label = keyLabel(key);
  const action = desk.ports.context.keymap.lookup('composer', label)?.id;
  if (action === 'clear') return clearOrInterrupt(desk);
  const request = desk.view.requests[0];
  if (request && desk.composer.cardFocus === request.id) return cardKey(desk, request, label);
  if (action && composerAction(desk, action as ComposerAction)) return;
  const next = edit(desk.composer, key);
  if (next) desk.put(next);
}

export function structuredPaste(text: string, ports: PanePorts): void {
  const desk = deskOf(ports);
  // A paste is never an answer: it goes to the composer, also while a card has the keys.
  if (desk) desk.put(paste({ ...desk.composer, cardFocus: null }, text));
}

interface Desk {
  view: SessionView;
  composer: Composer;
  ports: PanePorts;
  put(composer: Composer): void;
}

function deskOf(ports: PanePorts): Desk | undefined {
  const { context, view } = ports;
  if (!view) return undefined;
  const sessionId = view.session.id;
  const composer = context.store.state.composers[sessionId] ?? EMPTY_COMPOSER;
  return {
    view,
    composer,
    ports,
    put: (next) => context.store.dispatch({ type: 'composer', sessionId, composer: next }),
  };
}

/** False when the key is left to the editor. */
function composerAction(desk: Desk, action: ComposerAction): boolean {
  const { composer, ports, view } = desk;
  const { context, pane } = ports;
  const page = Math.max(1, context.bodyRows(pane.id) - 1);
  const request = view.requests[0];
  switch (action) {
    case 'send':
      send(desk);
      return true;
    case 'new-line':
      desk.put(insert(composer, '\n'));
      return true;
    case 'read-up':
      context.scroll(pane.id, page);
      return true;
    case 'read-down':
      context.scroll(pane.id, -page);
      return true;
    case 'read-newest':
      context.scroll(pane.id, 'live');
      if (composer.wordsFor) desk.put(clearText(composer));
      return true;
    case 'show-all':
      desk.put({ ...composer, expanded: !composer.expanded });
      return true;
    case 'older':
    case 'newer':
      walk(desk, action === 'older' ? -1 : 1);
      return true;
    case 'card':
      if (request) desk.put({ ...composer, cardFocus: request.id, picked: [] });
      return true;
    case 'take-back':
      if (composer.text !== '' || view.queue.length === 0) return false;
      takeBack(desk);
      return true;
    case 'clear':
      clearOrInterrupt(desk);
      return true;
  }
}

function walk(desk: Desk, step: -1 | 1): void {
  const { composer, view, ports } = desk;
  const items = ports.context.store.state.transcripts[view.session.id]?.transcript.items ?? [];
  const history = items.flatMap((item) =>
    item.kind === 'prompt' && item.origin === 'user' ? [item.text] : [],
  );
  const next = moveLine(composer, step) ?? moveHistory(composer, step < 0 ? 1 : -1, history);
  if (next) desk.put(next);
}

/** Sends what is written; it comes back when the daemon refuses and nothing else was written meanwhile. */
function send(desk: Desk): void {
  const { composer, view, ports } = desk;
  const { context, pane } = ports;
  const text = composedText(composer).trim();
  const request = view.requests.find((one) => one.id === composer.wordsFor);
  if (composer.wordsFor && !request) {
    // The request was answered elsewhere: words meant for it are no prompt.
    context.say('warning', 'That request is no longer open; enter again sends this as a prompt.');
    return desk.put({ ...composer, wordsFor: null });
  }
  if (text === '') return;
  if (request) return sendWords(desk, request, text);
  const session = view.session.id;
  desk.put(clearText(composer));
  context.scroll(pane.id, 'live');
  void context.ask('session/prompt', { session, text }).then((taken) => {
    const now = context.store.state.composers[session];
    if (taken || (now && now.text !== '')) return;
    context.store.dispatch({ type: 'composer', sessionId: session, composer: { ...composer } });
  });
}

function sendWords(desk: Desk, request: PermissionRequest, text: string): void {
  const cleared = clearText(desk.composer);
  if (request.questions)
    return take({ ...desk, composer: cleared }, request, answered(request, cleared, text));
  const optionId = rejection(request)?.optionId;
  if (optionId === undefined) return;
  answer({ ...desk, composer: cleared }, request, { outcome: 'selected', optionId, message: text });
}

function cardKey(desk: Desk, request: PermissionRequest, label: string): void {
  const step = cardStep(request, desk.composer, label);
  if (step) take(desk, request, step);
}

function take(desk: Desk, request: PermissionRequest, step: CardStep): void {
  if ('answer' in step) answer(desk, request, step.answer);
  else
    desk.put(step.composer.wordsFor ? { ...step.composer, text: '', cursor: 0, pastes: [] } : step.composer);
}

/** The focus goes back to the composer: the next request is read before a key can answer it. */
function answer(desk: Desk, request: PermissionRequest, given: PermissionAnswer): void {
  const { context } = desk.ports;
  desk.put({ ...desk.composer, cardFocus: null, wordsFor: null, answers: {}, picked: [] });
  void context.ask('session/answer', {
    session: desk.view.session.id,
    permissionId: request.id,
    answer: given,
  });
}

/** Never quits: what is written goes, else the turn is interrupted. */
function clearOrInterrupt(desk: Desk): void {
  const { composer, view, ports } = desk;
  if (composer.text !== '' || composer.wordsFor) return desk.put(clearText(composer));
  if (view.turn?.state === 'running')
    return void ports.context.ask('session/cancel', { session: view.session.id });
  ports.context.say('info', 'Nothing runs here; the pane is closed or stopped with the prefix.');
}

/** The prompt that was queued last leaves the queue and comes back to be edited. */
function takeBack(desk: Desk): void {
  const { composer, view, ports } = desk;
  const last = view.queue.at(-1);
  if (!last) return;
  const session = view.session.id;
  desk.put(withText(composer, last.prompt));
  void ports.context.ask('session/queue-edit', { session, turnId: last.id, text: null }).then((done) => {
    const now = ports.context.store.state.composers[session];
    if (!done && now?.text === last.prompt) desk.put(clearText(now));
  });
}
