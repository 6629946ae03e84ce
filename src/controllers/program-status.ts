// OSC 7501 (Program Status) as run signals: the only source of the status of a terminal pane. Pure but for the counter.
// The text comes from the child: untrusted, cut, and shown as text only.
import type { RunSignalBody } from '../model/signal.js';

const STATES = ['idle', 'working', 'done', 'blocked', 'error', 'clear'] as const;
type ProgramState = (typeof STATES)[number];
/** The specification caps a report at 4096 bytes; a title row needs far less. */
const MESSAGE_MAX_CHARS = 300;

/** Translates the reports of one run. */
export class ProgramStatus {
  #progressSeq = 0;

  /** The signals of one report; none for a report without a state that we know. */
  signals(report: Record<string, string>): RunSignalBody[] {
    const state = report['state'];
    if (!isState(state)) return [];
    const message = readText(report['msg']) ?? readText(report['title']);
    const signals: RunSignalBody[] = [
      {
        type: 'state',
        state,
        ...(report['kind'] ? { kind: report['kind'].slice(0, 40) } : {}),
        ...(message ? { message } : {}),
      },
    ];
    const percent = readPercent(report['progress']);
    if (percent !== undefined) {
      this.#progressSeq += 1;
      signals.push({ type: 'progress', seq: this.#progressSeq, message: message ?? '', percent });
    }
    return signals;
  }
}

function isState(text: string | undefined): text is ProgramState {
  return STATES.some((state) => state === text);
}

function readPercent(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,3}$/.test(text)) return undefined;
  return Math.min(100, Number(text));
}

/** Texts are base64 of UTF-8. */
function readText(base64: string | undefined): string | undefined {
  if (!base64 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const text = Buffer.from(base64, 'base64').toString('utf8');
  const shown = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').trim();
  return shown.slice(0, MESSAGE_MAX_CHARS) || undefined;
}
