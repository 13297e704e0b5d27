import { type ConfigField, checkConfig, configFields } from '../../protocol/config.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject, type Variables } from '../../protocol/json.ts';
import type { Config, SetField } from '../../runtime/config.ts';
import { nearestName } from '../../text/wording.ts';
import { databaseVariable, prefix, reserved, variableOf } from './variable-names.ts';

/**
 * The fields that variables set. Ignores empty variables.
 *
 * @throws DetentError `INVALID_CONFIG` that names the variable.
 */
export function fieldsFromVariables(env: Variables): SetField[] {
  const fields = configFields().flatMap((field) => fieldFrom(env, field, variableOf(field)));
  if (fields.some(({ path }) => databasePaths.includes(path))) return fields;
  const named = configFields().filter(({ path }) => path === 'database.url');
  return [...fields, ...named.flatMap((field) => fieldFrom(env, field, databaseVariable))];
}

const databasePaths = ['database.file', 'database.url'];

function fieldFrom(env: Variables, field: ConfigField, variable: string): SetField[] {
  const text = env[variable];
  if (!text) return [];
  const value = parseValue(field, text, variable);
  checkConfig(withField({}, field.path, value), `the variable ${variable}`);
  return [{ path: field.path, variable, value }];
}

/** A warning for each variable that is most likely misspelt. */
export function misspeltVariables(env: Variables): string[] {
  const known = configFields().map((field) => variableOf(field).slice(prefix.length));
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && env[name] && !reserved.test(name))
    .flatMap((name) => {
      const word = name.slice(prefix.length);
      const nearest = known.includes(word) ? null : nearestName(word, known);
      return nearest ? [`the variable ${name} has no effect; did you mean ${prefix}${nearest}?`] : [];
    });
}

/**
 * A configuration with the fields that variables set. Variables take precedence over the whole file: the same fields of
 * agents are dropped, so that agents use the top-level value.
 */
export function applyVariables(config: Config, fields: readonly SetField[]): Config {
  // The other place of the database does not count any more.
  const isMoved = fields.some(({ path }) => databasePaths.includes(path));
  const kept = isMoved ? databasePaths.reduce<unknown>(withoutField, config) : config;
  const changed = fields.reduce<unknown>((result, { path, value }) => withField(result, path, value), kept);
  const { agents, ...rest } = changed as Config;
  if (!agents) return rest;
  const own = fields.map(({ path }) => (path === 'system' ? 'systemPrompt' : path));
  const without = (agent: unknown) => own.reduce((result, path) => withoutField(result, path), agent);
  return {
    ...rest,
    agents: Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, without(agent)])),
  } as Config;
}

function parseValue({ kind, choices }: ConfigField, text: string, variable: string): unknown {
  switch (kind) {
    case 'text':
      return text;
    case 'list':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    case 'number':
      if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return Number(text);
      throw invalidVariable(variable, 'a number', text);
    case 'boolean':
      if (text === 'true' || text === '1') return true;
      if (text === 'false' || text === '0') return false;
      throw invalidVariable(variable, 'true or false', text);
    case 'choice':
      if (choices.includes(text)) return text;
      throw invalidVariable(variable, choices.join(', '), text);
  }
}

function invalidVariable(variable: string, what: string, text: string): DetentError {
  return new DetentError(
    'INVALID_CONFIG',
    `the variable ${variable} is ${what}, not ${JSON.stringify(text)}`,
    {
      details: { variable },
    },
  );
}

function withField(config: unknown, path: string, value: unknown): unknown {
  const [key = '', ...rest] = path.split('.');
  const fields = isObject(config) ? config : {};
  return { ...fields, [key]: rest.length === 0 ? value : withField(fields[key], rest.join('.'), value) };
}

function withoutField(config: unknown, path: string): unknown {
  const [key = '', ...rest] = path.split('.');
  if (!isObject(config) || !(key in config)) return config;
  const { [key]: inner, ...others } = config;
  return rest.length === 0 ? others : { ...others, [key]: withoutField(inner, rest.join('.')) };
}
