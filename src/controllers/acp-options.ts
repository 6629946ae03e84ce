// The options of one ACP session (mode, model, effort …): what they are, and how this agent wants them set. Used by the acp
// controller only.
import type { AcpConnection } from '../acp/connection.js';
import type { AgentEventBody, ConfigOption } from '../model/event.js';
import type { StartContext } from './controller.js';

type Json = Record<string, unknown>;

export interface OptionChoice {
  id: string;
  value: string;
}

export interface Choices {
  model?: string | undefined;
  effort?: string | undefined;
  mode?: string | undefined;
  option?: OptionChoice;
}

/**
 * What the person chose, and else the mode that asks: several agents let a model decide by default (facts §2.3). An agent
 * whose permissions are its modes has them in one option.
 */
export function launchChoices({ session, provider }: StartContext): Choices {
  const { model, effort, mode, permission } = session.launch;
  const isMode = provider.permission?.protocol === 'mode';
  const asking = isMode ? (permission ?? provider.permission?.default) : undefined;
  return { model, effort, mode: mode ?? asking ?? provider.mode?.default };
}

export class SessionOptions {
  current: ConfigOption[] = [];
  /** Options that this agent knows the old way only: session/set_mode, session/set_model. */
  legacy: ('mode' | 'model')[] = [];

  /** Looks at the answer that opened the session. */
  note(result: Json): void {
    const list = Array.isArray(result['configOptions'])
      ? (result['configOptions'] as { category?: string }[])
      : [];
    const categories = new Set(list.map(({ category }) => category));
    this.legacy = (['mode', 'model'] as const).filter(
      (name) => !categories.has(name) && result[`${name}s`] !== undefined,
    );
  }

  /** What must be set so that these are in force. One that is not offered is tried: the refusal is told. */
  choices({ model, effort, mode, option }: Choices): OptionChoice[] {
    return [
      ...(option ? [option] : []),
      ...this.#wanted('model', model),
      ...this.#wanted('effort', effort),
      ...this.#wanted('mode', mode),
    ];
  }

  #wanted(category: ConfigOption['category'], value: string | undefined): OptionChoice[] {
    if (value === undefined) return [];
    const option = this.current.find((candidate) => candidate.category === category);
    return option?.value === value ? [] : [{ id: option?.id ?? category ?? '', value }];
  }

  /** Sets it with the agent; the event tells the options as they are then. Rejects with RpcError. */
  async set(
    connection: AcpConnection,
    nativeId: string,
    { id, value }: OptionChoice,
  ): Promise<Json | AgentEventBody> {
    const legacy = this.legacy.find((name) => name === id);
    const result = await connection.setOption(nativeId, { id, value, legacy });
    if (Array.isArray(result['configOptions'])) {
      return { sessionUpdate: 'config_option_update', configOptions: result['configOptions'] };
    }
    const options = this.current.map((option) => (option.id === id ? { ...option, value } : option));
    const mode = options.find((option) => option.category === 'mode')?.value;
    const model = options.find((option) => option.category === 'model')?.value;
    return { type: 'session.updated', options, ...(mode ? { mode } : {}), ...(model ? { model } : {}) };
  }
}

export function isUpdate(change: Json | AgentEventBody): change is Json {
  return 'sessionUpdate' in change;
}
