// What the answer to `initialize` offers: commands, models and modes, as options of the session. Used by the persistent
// controller; pure. A list that is not told is not offered.
import type { AgentEventBody, ConfigOption } from '../model/event.js';
import { defined, recordsOf, stringOf, wordsOf } from '../translators/fields.js';
import type { Frame } from '../translators/translator.js';
import type { Provider } from '../model/provider.js';

/** A session.updated event with what was offered, or undefined when nothing was. */
export function offeredEvent(
  body: Frame,
  provider: Provider,
  chosen: { model?: string; mode?: string },
): AgentEventBody | undefined {
  const slashCommands = recordsOf(body['commands']).flatMap((command) => {
    const name = wordsOf(command['name']);
    return name ? [defined({ name, description: wordsOf(command['description']) })] : [];
  });
  const mode = stringOf(body['current_permission_mode']);
  const options = [modelOption(body, chosen.model), modeOption(provider, chosen.mode ?? mode)].filter(
    (o) => o !== undefined,
  );
  if (slashCommands.length === 0 && options.length === 0 && mode === undefined) return undefined;
  return defined({
    type: 'session.updated' as const,
    mode,
    slashCommands: slashCommands.length > 0 ? slashCommands : undefined,
    options: options.length > 0 ? options : undefined,
  });
}

function modelOption(body: Frame, chosen: string | undefined): ConfigOption | undefined {
  const choices = recordsOf(body['models']).flatMap((model) => {
    const value = wordsOf(model['value']);
    return value
      ? [
          defined({
            value,
            name: stringOf(model['displayName']) ?? value,
            description: wordsOf(model['description']),
          }),
        ]
      : [];
  });
  const [first] = choices;
  return first
    ? { id: 'model', name: 'Model', category: 'model', value: chosen ?? first.value, choices }
    : undefined;
}

/** Modes that the catalogue knows and that change through the protocol. */
function modeOption(provider: Provider, chosen: string | undefined): ConfigOption | undefined {
  const spec = provider.permission;
  if (spec?.protocol !== 'control' || spec.values.length === 0) return undefined;
  const choices = spec.values.map((value) => ({ value, name: value }));
  return {
    id: 'permission',
    name: 'Permissions',
    category: 'mode',
    value: chosen ?? spec.default ?? choices[0]!.value,
    choices,
  };
}
