import { DetentError } from '../../../protocol/error.ts';
import { isObject } from '../../../protocol/json.ts';
import type { Config, RunRequest } from '../../../runtime/config.ts';
import {
  createHider,
  type EffectiveValue,
  effectiveValues,
  secretVariables,
  withoutSecrets,
} from '../../../runtime/settings.ts';
import { configNames, findConfig } from '../../settings/config-file.ts';
import { type Flags, text } from '../../settings/flags.ts';
import { loadSettings, type Settings, workspaceOf } from '../../settings/load-options.ts';
import { runRequest } from '../../settings/run-options.ts';
import { clipped, columns } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent config path`. @throws DetentError `NOT_FOUND` when there is no configuration file. */
export async function showConfigPath(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const workspace = workspaceOf(flags, io.cwd);
  const file = findConfig(workspace);
  if (file === null)
    throw new DetentError(
      'NOT_FOUND',
      `there is no configuration file in ${workspace}; it would be one of ${configNames.join(', ')}`,
    );
  io.out(`${file}\n`);
  return exit.ok;
}

/** `detent config schema`: for editors. */
export async function showConfigSchema(_: readonly string[], __: Flags, io: Io): Promise<number> {
  const { configJsonSchema } = await import('../../../protocol/config.ts');
  io.json(configJsonSchema(), 2);
  return exit.ok;
}

/** `detent config show`: the values that a run with these flags would use, and their sources. */
export async function showConfig(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { env } = io;
  const request = runRequest(flags, io);
  const settings = await loadSettings(flags, io);
  const { options, file } = settings;
  const named = secretVariables(options);
  const config = (await settings.configured(withoutSecrets(env, named))) as Config;
  const values = effectiveValues({
    options,
    file,
    variables: settings.variables,
    config,
    request,
    flags: flagValues(flags, request, settings),
    env,
  });
  const hide = createHider(env, named);
  const shown = Object.entries(values).map(
    ([path, value]) => [path, { ...value, value: hide(path, value.value) }] as const,
  );
  const agent = request.agent ?? 'default';
  if (flags.json) io.json({ workspace: options.workspace, file, agent, values: Object.fromEntries(shown) });
  else {
    io.out(
      columns([
        ['workspace', options.workspace],
        ['file', file ?? 'none'],
        ['agent', agent],
      ]),
    );
    const rows = shown.map(([path, value]) => [path, valueText(value.value), sourceOf(value)]);
    io.out(`\n${columns(rows, widestCell)}`);
  }
  return exit.ok;
}

/** Most values are shorter; with this width their lines fit into 80 columns. */
const widestCell = 35;

/** Flags of a run, by the path of the field that they override. */
const flagPaths: Readonly<Record<string, string>> = {
  model: 'model',
  system: 'system',
  tools: 'tools.allowed',
  approve: 'policy.approve',
  'max-steps': 'limits.maxSteps',
  'max-tokens': 'limits.maxTokens',
  'max-cost': 'limits.maxCostUsd',
  'max-retries': 'limits.maxRetries',
  timeout: 'limits.timeoutMs',
  db: 'database.file',
};

function flagValues(flags: Flags, request: RunRequest, { options }: Settings) {
  const values: Readonly<Record<string, unknown>> = {
    model: request.model,
    system: request.system,
    'tools.allowed': request.tools,
    'policy.approve': request.approve,
    'database.file': options.database.file,
    ...Object.fromEntries(
      Object.entries(request.limits ?? {}).map(([name, value]) => [`limits.${name}`, value]),
    ),
  };
  const given = Object.entries(flagPaths).filter(([flag]) => text(flags, flag) !== undefined);
  return Object.fromEntries(given.map(([flag, path]) => [path, { flag, value: values[path] }]));
}

function valueText(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return clipped(value.length === 0 ? '-' : value.join(', '), 60);
  return clipped(isObject(value) ? JSON.stringify(value) : String(value), 60);
}

function sourceOf({ source, from }: EffectiveValue): string {
  if (source === 'default' || from === null) return 'default';
  return source === 'file' ? from : `${source} ${from}`;
}
