// Modes, models, config options and commands of an ACP session in our words. Pure; used by acp.ts.
import type { AgentEventBody, ConfigOption } from '../model/event.js';
import { asArray, asObject, asString, type Json } from './acp-content.js';

const CATEGORIES: Record<string, ConfigOption['category']> = {
  mode: 'mode',
  model: 'model',
  thought_level: 'effort',
};

/** v1 names an option by `id`, v2 by `configId`; a boolean becomes a choice of two. */
export function configOptions(list: unknown): ConfigOption[] {
  return asArray(list).flatMap((entry) => {
    const item = asObject(entry);
    const id = asString(item['configId']) ?? asString(item['id']);
    if (id === undefined) return [];
    const category = CATEGORIES[asString(item['category']) ?? ''] ?? 'other';
    const base = {
      id,
      name: asString(item['name']) ?? id,
      category,
      value: String(item['currentValue']),
    };
    const choices = item['type'] === 'boolean' ? BOOLEAN_CHOICES : flatChoices(item['options']);
    return [{ ...base, choices }];
  });
}

const BOOLEAN_CHOICES: ConfigOption['choices'] = [
  { value: 'true', name: 'on' },
  { value: 'false', name: 'off' },
];

/** Options may be grouped: {group, options: […]}. */
function flatChoices(options: unknown): ConfigOption['choices'] {
  return asArray(options).flatMap((entry) => {
    const item = asObject(entry);
    if (Array.isArray(item['options'])) return flatChoices(item['options']);
    const value = asString(item['value']);
    if (value === undefined) return [];
    const description = asString(item['description']);
    return [{ value, name: asString(item['name']) ?? value, ...(description ? { description } : {}) }];
  });
}

/** `modes` and `models` of older agents, as options of the same shape. */
export function legacyOptions(result: Json): ConfigOption[] {
  const modes = asObject(result['modes']);
  const models = asObject(result['models']);
  return [
    ...legacyOption('mode', 'Mode', 'mode', modes['currentModeId'], modes['availableModes'], 'id'),
    ...legacyOption(
      'model',
      'Model',
      'model',
      models['currentModelId'],
      models['availableModels'],
      'modelId',
    ),
  ];
}

function legacyOption(
  id: string,
  name: string,
  category: ConfigOption['category'],
  current: unknown,
  list: unknown,
  key: string,
): ConfigOption[] {
  const value = asString(current);
  if (value === undefined) return [];
  const choices = asArray(list).flatMap((entry) => {
    const item = asObject(entry);
    const choice = asString(item[key]);
    return choice === undefined ? [] : [{ value: choice, name: asString(item['name']) ?? choice }];
  });
  return [{ id, name, category, value, choices }];
}

/** All options a session offers: what it calls config options, and what it only says the old way. */
export function sessionOptions(result: Json): ConfigOption[] {
  const options = configOptions(result['configOptions']);
  const known = new Set(options.map((option) => option.category));
  return [...options, ...legacyOptions(result).filter((option) => !known.has(option.category))];
}

export function optionsEvent(options: ConfigOption[]): AgentEventBody {
  const mode = options.find((option) => option.category === 'mode')?.value;
  const model = options.find((option) => option.category === 'model')?.value;
  return { type: 'session.updated', options, ...(mode ? { mode } : {}), ...(model ? { model } : {}) };
}

export function slashCommands(list: unknown): { name: string; description?: string }[] {
  return asArray(list).flatMap((entry) => {
    const item = asObject(entry);
    const name = asString(item['name']);
    const description = asString(item['description']);
    return name === undefined ? [] : [{ name, ...(description ? { description } : {}) }];
  });
}
