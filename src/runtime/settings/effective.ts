import { basename } from 'node:path';
import { defaultModel } from '../../models/catalogue.ts';
import { type ConfigField, configFields } from '../../protocol/config.ts';
import { isObject, type Variables } from '../../protocol/json.ts';
import type { Config, DetentOptions } from '../config/detent-options.ts';
import { findAgent } from '../config/find-agent.ts';
import type { SetField } from '../config/origins.ts';
import type { RunRequest } from '../config/request.ts';
import { modelOf } from '../requests/chosen-models.ts';

/** The value of a field and its source: `from` is a flag, a variable, or `file:path`; null for the others. */
export interface EffectiveValue {
  value: unknown;
  source: 'flag' | 'variable' | 'file' | 'program' | 'default';
  from: string | null;
}

interface EffectiveInput {
  options: DetentOptions;
  /** The configuration file; null for a configuration that the program made. */
  file: string | null;
  /** The configuration of the file or the program, without secrets. */
  config: Config;
  /** The fields that variables set. */
  variables: readonly SetField[];
  /** The request that the flags make. */
  request: RunRequest;
  /** The flags that were given, by the path of their field. */
  flags: Readonly<Record<string, { flag: string; value: unknown }>>;
  env: Variables;
}

/**
 * Every field with its value for a run of the request's agent, by path. Of records (providers, agents, sets) it has the
 * entries of the file.
 *
 * @throws DetentError `UNKNOWN_AGENT`, `UNKNOWN_MODEL`, `AMBIGUOUS_MODEL`.
 */
export function effectiveValues(input: EffectiveInput): Readonly<Record<string, EffectiveValue>> {
  const { options, config, variables, request, flags, env } = input;
  const { name: agent } = findAgent(request.agent, config.agents);
  const file = input.file === null ? null : basename(input.file);
  const given = (keys: readonly string[]): EffectiveValue | null => {
    const value = at(config, keys);
    if (value === undefined) return null;
    if (file === null) return { value: withoutObjects(value, 'program'), source: 'program', from: null };
    return { value: withoutObjects(value, 'file'), source: 'file', from: `${file}:${keys.join('.')}` };
  };
  const effective = ({ path, default: value = null }: ConfigField): EffectiveValue => {
    const flag = flags[path];
    if (flag) return { value: flag.value, source: 'flag', from: `--${flag.flag}` };
    const variable = variables.find((field) => field.path === path);
    if (variable) return { value: variable.value, source: 'variable', from: variable.variable };
    return (
      given(['agents', agent, ...inAgent(path)]) ??
      given(path.split('.')) ?? {
        value: path === 'model' ? defaultModel(env) : value,
        source: 'default',
        from: null,
      }
    );
  };
  const values = Object.fromEntries(configFields().map((field) => [field.path, effective(field)]));
  for (const keys of leavesOf(config, [])) {
    const value = given(keys);
    if (value) values[keys.join('.')] ??= value;
  }
  for (const [path, { flag, value }] of Object.entries(flags))
    values[path] = { value, source: 'flag', from: `--${flag}` };
  const { model } = values;
  if (model && model.source !== 'default')
    model.value = modelOf({ ...request, model: String(model.value) }, options);
  return values;
}

/** The path of a top-level field inside an agent. */
function inAgent(path: string): string[] {
  if (path === 'system') return ['systemPrompt'];
  return path === 'tools.allowed' ? ['tools'] : path.split('.');
}

/** The value at a path of keys. */
export function at(config: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    config,
  );
}

/** The path of keys to each value. */
function leavesOf(value: unknown, keys: readonly string[]): (readonly string[])[] {
  if (!isObject(value) || isOpaque(value)) return keys.length === 0 ? [] : [keys];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...keys, key]));
}

/** Shows tools and functions by name, and a ChatModel object as a phrase. */
function withoutObjects(value: unknown, of: 'file' | 'program'): unknown {
  if (isModel(value)) return `(a model of the ${of})`;
  if (isOpaque(value)) return `(a schema of the ${of})`;
  if (typeof value === 'function') return value.name || '(a function)';
  if (!Array.isArray(value)) return value;
  return value.map((item) => {
    if (typeof item === 'function') return item.name || '(a function)';
    return isObject(item) ? item.name : item;
  });
}

/** An object of the program: a model, or a schema as zod makes them. */
function isOpaque(value: unknown): boolean {
  return isModel(value) || (isObject(value) && '~standard' in value);
}

/** A `ChatModel`, or a client of the `openai` package. */
function isModel(value: unknown): boolean {
  return isObject(value) && (typeof value.generate === 'function' || isObject(value.chat));
}
