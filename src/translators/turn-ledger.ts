// The promises every translator keeps, in one place: one end for each turn, tool calls that are paired and whose status
// never goes back, and what a turn is closed with when the process ends. Used by all translators; pure over its state.
import type { AgentEventBody, ToolCall, ToolContent, ToolStatus } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import { classifyFailure, type FailureEvidence } from '../model/failure-classify.js';
import type { StopReason } from '../model/session.js';
import { defined } from './fields.js';
import type { EndContext } from './translator.js';

type FinalStatus = Exclude<ToolStatus, 'pending' | 'running'>;

export interface LedgerState {
  turnOpen: boolean;
  /** Turns begun in this process. */
  turns: number;
  /** The wire still owes the end of a turn that we ended ourselves. */
  owed: boolean;
  /** Something was shown in this turn. */
  spoke: boolean;
  /** Top-level assistant text of this turn, when any came. */
  hasText: boolean;
  /** Open tool calls. */
  open: Record<string, { name: string; status: ToolStatus }>;
  /** Ended tool calls of this turn: a late frame about one of them changes nothing. */
  ended: string[];
}

export class TurnLedger {
  #state: LedgerState = {
    turnOpen: false,
    turns: 0,
    owed: false,
    spoke: false,
    hasText: false,
    open: {},
    ended: [],
  };

  get turnOpen(): boolean {
    return this.#state.turnOpen;
  }

  get turns(): number {
    return this.#state.turns;
  }

  get hasText(): boolean {
    return this.#state.hasText;
  }

  /** True when a turn that we ended ourselves has not been ended by the wire yet. */
  get owed(): boolean {
    return this.#state.owed;
  }

  begin(): void {
    this.#state.turnOpen = true;
    this.#state.turns += 1;
    this.#state.spoke = false;
    this.#state.hasText = false;
    this.#state.ended = [];
  }

  /** Something a person can see came in this turn. */
  spoke(isTopText = false): void {
    this.#state.spoke = true;
    if (isTopText) this.#state.hasText = true;
  }

  isOpenTool(id: string): boolean {
    return id in this.#state.open;
  }

  toolName(id: string): string | undefined {
    return this.#state.open[id]?.name;
  }

  /** A tool call began, or a known one is told again with more. */
  startTool(call: ToolCall): AgentEventBody[] {
    this.spoke();
    if (this.#state.ended.includes(call.toolCallId)) return [];
    const known = this.#state.open[call.toolCallId];
    if (!known) {
      this.#state.open[call.toolCallId] = { name: call.name, status: call.status };
      return [{ type: 'tool.started', call: defined(call) }];
    }
    const { toolCallId, ...patch } = call;
    if (known.status === 'running' && patch.status === 'pending') patch.status = 'running';
    known.status = patch.status;
    return [{ type: 'tool.updated', toolCallId, patch: defined(patch) }];
  }

  updateTool(
    toolCallId: string,
    patch: Partial<Omit<ToolCall, 'toolCallId' | 'status'>>,
    outputDelta?: string,
  ): AgentEventBody[] {
    if (!this.isOpenTool(toolCallId)) return [];
    return [defined({ type: 'tool.updated' as const, toolCallId, patch: defined(patch), outputDelta })];
  }

  /** The end of a tool call. One that was never begun is begun first, so that ids are always paired. */
  endTool(
    id: string,
    status: FinalStatus,
    more: { content?: ToolContent[]; exitCode?: number } = {},
  ): AgentEventBody[] {
    if (this.#state.ended.includes(id)) return [];
    const events = this.isOpenTool(id)
      ? []
      : this.startTool({ toolCallId: id, name: 'tool', kind: 'other', title: 'tool', status: 'running' });
    delete this.#state.open[id];
    this.#state.ended.push(id);
    return [...events, defined({ type: 'tool.finished' as const, toolCallId: id, status, ...more })];
  }

  endOpenTools(status: FinalStatus): AgentEventBody[] {
    return Object.keys(this.#state.open).flatMap((id) => this.endTool(id, status));
  }

  /** The end of the turn, once. Open tool calls end with it: completed turns leave them unknown, others cancelled. */
  endTurn(stopReason: StopReason, more: { failure?: Failure; result?: string } = {}): AgentEventBody[] {
    if (!this.#state.turnOpen) return [];
    const tools = this.endOpenTools(stopReason === 'end_turn' ? 'unknown' : 'cancelled');
    const silent = !this.#state.spoke && stopReason === 'end_turn';
    this.#state.turnOpen = false;
    return [
      ...tools,
      defined({ type: 'turn.done' as const, stopReason, ...more, suspicious: silent || undefined }),
    ];
  }

  failTurn(evidence: FailureEvidence, stopReason: StopReason = 'error'): AgentEventBody[] {
    if (!this.#state.turnOpen) return [];
    return this.endTurn(stopReason, { failure: classifyFailure(evidence) });
  }

  /** We end the turn ourselves; the wire's own end of it will be ignored. */
  abandon(): AgentEventBody[] {
    if (!this.#state.turnOpen) return [];
    this.#state.owed = true;
    return this.endTurn('cancelled');
  }

  /** The wire ended the turn that we had abandoned, or began a new one. */
  settle(): void {
    this.#state.owed = false;
  }

  /** The process ended: what is open is closed, with the cause that exit and stderr tell. */
  endProcess(context: EndContext, typed: Partial<FailureEvidence> = {}): AgentEventBody[] {
    const tools = this.endOpenTools(context.stopped ? 'cancelled' : 'unknown');
    if (!this.#state.turnOpen) return tools;
    if (context.stopped) return [...tools, ...this.endTurn('cancelled')];
    const { exitCode, signal, stderrTail } = context;
    const evidence = { ...typed, stderrTail, hadOutput: this.#state.spoke, ...defined({ exitCode, signal }) };
    return [...tools, ...this.failTurn(evidence)];
  }

  save(): LedgerState {
    return structuredClone(this.#state);
  }

  load(state: LedgerState): void {
    this.#state = structuredClone(state);
  }
}
