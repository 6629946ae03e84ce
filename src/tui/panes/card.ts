// The card of an open request: what is asked, and the keys that answer it. They act only while the card has the focus, so
// that nothing typed elsewhere ever approves anything. Pure; structured-keys performs what a key means.
import type {
  PermissionAnswer,
  PermissionOption,
  PermissionRequest,
  Question,
} from '../../model/permission.js';
import { fit, truncate, width } from '../chrome/text.js';
import type { Theme } from '../chrome/theme.js';
import { requestRows } from '../transcript/render-item.js';
import { cleanLine, NO_PREFIX, wrapSpans } from '../transcript/styled-wrap.js';
import type { Composer } from './composer.js';

export interface CardLook {
  cols: number;
  maxRows: number;
  theme: Theme;
  hasFocus: boolean;
  /** Of how many open requests this is the first. */
  of: number;
  /** Answers so far, for a card with questions. */
  composer: Composer;
}

/** Title, content (cut to what fits), keys; each row exactly `cols` cells. */
export function cardRows(request: PermissionRequest, look: CardLook): string[] {
  const { cols, theme, hasFocus } = look;
  const inner = Math.max(1, cols - 4);
  const frame = { colour: hasFocus ? ('magenta' as const) : ('gray' as const), bold: hasFocus };
  const context = { width: inner, theme, now: 0, expanded: true };
  const question = currentQuestion(request, look.composer);
  const body = question ? questionLines(question, look, inner) : requestRows(request, context, NO_PREFIX);
  const keys = wrapSpans([{ text: keyWords(request, question, look), look: { bold: hasFocus } }], context);
  // Where rows are few, content comes before the lower line of the frame.
  const isTight = body.length > look.maxRows - 2 - keys.length;
  const room = Math.max(0, look.maxRows - (isTight ? 1 : 2) - keys.length);
  const shown = body.length <= room ? body : body.slice(0, Math.max(0, room - 1));
  const more = body.length - shown.length;
  const words = `${theme.ellipsis} ${more} more ${more === 1 ? 'line' : 'lines'} in the transcript`;
  const fold =
    more > 0 && room > 0 ? [theme.paint(truncate(words, inner, theme.ellipsis), { dim: true })] : [];
  const side = theme.paint(theme.bar, frame);
  const boxed = [...shown, ...fold, ...keys].map((row) => `${side} ${pad(row, inner)} ${side}`);
  const { corners, dash } = theme;
  const count = look.of > 1 ? ` (1 of ${look.of})` : '';
  const title = truncate(
    ` ${cleanLine(request.title.replace(/\s*\n\s*/g, ' '))}${count} `,
    Math.max(1, cols - 4),
    theme.ellipsis,
  );
  const top =
    corners.topLeft + dash + title + dash.repeat(Math.max(0, cols - 3 - width(title))) + corners.topRight;
  const bottom = corners.bottomLeft + dash.repeat(Math.max(0, cols - 2)) + corners.bottomRight;
  const rows = [theme.paint(fit(top, cols), frame), ...boxed];
  return isTight ? rows : [...rows, theme.paint(fit(bottom, cols), frame)];
}

/** Pads a painted row: its escapes take no cells. */
function pad(row: string, cells: number): string {
  return row + ' '.repeat(Math.max(0, cells - width(row.replace(/\x1b\[[\d;]*m/g, ''))));
}

/** The first question that has no answer yet. */
export function currentQuestion(request: PermissionRequest, composer: Composer): Question | undefined {
  return request.questions?.find((one) => composer.answers[one.question] === undefined);
}

function questionLines(question: Question, { composer, theme }: CardLook, inner: number): string[] {
  const context = { width: inner, theme, now: 0, expanded: true };
  const choices = question.choices.flatMap(({ label, description }, at) => {
    const mark = question.multiple
      ? `${composer.picked.includes(at) ? theme.checked : theme.unchecked} `
      : '';
    const spans = [
      { text: `${at + 1} ${mark}${cleanLine(label)}` },
      ...(description
        ? [{ text: `  ${cleanLine(description.replace(/\n/g, ' '))}`, look: { dim: true } }]
        : []),
    ];
    return wrapSpans(spans, context);
  });
  return [...wrapSpans([{ text: cleanLine(question.question.replace(/\n/g, ' ')) }], context), ...choices];
}

function keyWords(request: PermissionRequest, question: Question | undefined, look: CardLook): string {
  if (!look.hasFocus) return 'tab: answer';
  const { dot } = look.theme;
  if (question)
    return `1-${Math.min(9, question.choices.length)} choose ${question.multiple ? `${dot} enter: done ` : ''}${dot} o own words ${dot} esc back`;
  const named = cardKeys(request).map(({ key, option }) => {
    const effect = option.effect ? ` (${cleanLine(option.effect)})` : '';
    return `${key} ${cleanLine(option.label)}${effect}`;
  });
  const reason = rejection(request) ? ['r reject, say why'] : [];
  return [...named, ...reason, 'esc back'].join(` ${dot} `);
}

const LETTERS = {
  allow_once: 'y',
  allow_always: 'a',
  reject_once: 'n',
  reject_always: 'N',
  other: '',
} as const;

/** A key for every option: the letter of its kind for the first of the kind, else its number. */
export function cardKeys(request: PermissionRequest): { key: string; option: PermissionOption }[] {
  const taken = new Set<string>();
  return request.options.map((option, at) => {
    const letter = LETTERS[option.kind];
    const key = letter === '' || taken.has(letter) ? String(at + 1) : letter;
    taken.add(key);
    return { key, option };
  });
}

export function rejection(request: PermissionRequest): PermissionOption | undefined {
  return request.options.find((one) => one.kind === 'reject_once');
}

export type CardStep = { answer: PermissionAnswer } | { composer: Composer };

/** What a key means to a focused card; undefined: nothing. `words` is the key as written in bindings. */
export function cardStep(request: PermissionRequest, composer: Composer, key: string): CardStep | undefined {
  const back = { ...composer, cardFocus: null };
  if (key === 'escape' || key === 'tab') return { composer: back };
  const question = currentQuestion(request, composer);
  if (question) {
    if (key === 'o') return { composer: { ...back, wordsFor: request.id } };
    return questionStep(request, question, composer, key);
  }
  const reject = rejection(request);
  if (key === 'r' && reject) return { composer: { ...back, wordsFor: request.id } };
  const chosen = cardKeys(request).find((one) => one.key === key);
  return chosen ? { answer: { outcome: 'selected', optionId: chosen.option.optionId } } : undefined;
}

function questionStep(
  request: PermissionRequest,
  question: Question,
  composer: Composer,
  key: string,
): CardStep | undefined {
  const at = /^[1-9]$/.test(key) ? Number(key) - 1 : -1;
  if (!question.multiple)
    return question.choices[at] ? answered(request, composer, question.choices[at].label) : undefined;
  if (key === 'enter' && composer.picked.length > 0) {
    const labels = question.choices.filter((_, i) => composer.picked.includes(i)).map((one) => one.label);
    return answered(request, composer, labels.join(', '));
  }
  if (!question.choices[at]) return undefined;
  const { picked } = composer;
  const next = picked.includes(at) ? picked.filter((one) => one !== at) : [...picked, at];
  return { composer: { ...composer, picked: next } };
}

/** Takes an answer to the question that is asked; the last one answers the request. */
export function answered(request: PermissionRequest, composer: Composer, words: string): CardStep {
  const question = currentQuestion(request, composer);
  const answers = question ? { ...composer.answers, [question.question]: words } : composer.answers;
  const next = { ...composer, answers, picked: [] };
  return currentQuestion(request, next) ? { composer: next } : { answer: { outcome: 'answers', answers } };
}
