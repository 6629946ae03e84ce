// Permission requests and questions, in one shape for every provider.
import type { DiffContent } from './diff.js';
import type { PermissionId, RunId, SessionId, TurnId } from './ids.js';

export type PermissionOptionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always' | 'other';

export interface PermissionOption {
  /** The provider's own id of the option; sent back as it is. */
  optionId: string;
  kind: PermissionOptionKind;
  label: string;
  /** What choosing it writes ("allow Bash(npm test:*) in .claude/settings.local.json"), when known. */
  effect?: string;
}

export interface QuestionChoice {
  label: string;
  description?: string;
}

export interface Question {
  question: string;
  header?: string;
  choices: QuestionChoice[];
  multiple: boolean;
}

/** An open request. It stays open until somebody answers: time, detaching and restarts never answer it. */
export interface PermissionRequest {
  id: PermissionId;
  sessionId: SessionId;
  runId: RunId;
  turnId?: TurnId;
  /** "permission": may this tool run. "question": the agent asks for a choice. */
  kind: 'permission' | 'question';
  title: string;
  /** The tool call it is about, when there is one. */
  toolCallId?: string;
  /** The tool's kind for policies ("read" may pass under allow-reads). */
  toolKind?: string;
  command?: string;
  path?: string;
  description?: string;
  diffs?: DiffContent[];
  options: PermissionOption[];
  questions?: Question[];
  /** The request as the provider sent it, for the controller that must answer it. */
  raw: unknown;
  askedAt: number;
}

export type PermissionAnswer =
  | { outcome: 'selected'; optionId: string; message?: string }
  | { outcome: 'answers'; answers: Record<string, string> }
  | { outcome: 'cancelled' };

/** Who answered: the person, a policy of the session, or the end of the turn or process. */
export type AnswerSource = 'user' | 'policy' | 'cancel' | 'exit';
