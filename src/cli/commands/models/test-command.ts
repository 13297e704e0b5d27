import { defaultModel, fullModelName } from '../../../models/catalogue.ts';
import { createModelDirectory } from '../../../models/directory.ts';
import { DetentError } from '../../../protocol/error.ts';
import type { ModelDirectory } from '../../../protocol/ports.ts';
import { endpointOf, modelOf } from '../../../runtime/requests.ts';
import { duration, type Flags, usage } from '../../settings/flags.ts';
import { loadSettings, type Settings } from '../../settings/load-options.ts';
import { runRequest } from '../../settings/run-options.ts';
import { clipped, columns } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { providersOf } from './list.ts';
import { type Problem, type Trial, tryText, tryTools } from './try-model.ts';

const usualTimeoutMs = 60_000;

interface ModelTrial {
  model: string;
  ok: boolean;
  /** Why the model could not be called at all; null when it was called. */
  problem: Problem | null;
  text: Trial | null;
  tools: Trial | null;
}

/** `detent models test`. */
export async function testModels(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { env } = io;
  const settings = await loadSettings(flags, io);
  const { models: providers = {} } = settings.options;
  const names = namesOf(words, flags, settings, io);
  const endpoint = endpointOf(runRequest(flags, io));
  const timeoutMs = duration(flags, 'timeout') ?? usualTimeoutMs;
  if (!flags.json) io.say(`detent: asking ${names.join(', ')}; this costs a few hundred tokens each`);
  const directory = createModelDirectory({ providers, env });
  if (endpoint) for (const name of names) directory.nameAddress(name, endpoint, endpoint);
  const trials = await Promise.all(
    names.map((name) => tryModel(directory, name, { endpoint, timeoutMs, providers })),
  );
  if (flags.json) io.json({ models: trials });
  else io.out(tableOf(trials));
  return trials.every(({ ok }) => ok) ? exit.ok : exit.failed;
}

/** The models that are named, or all, or the default one. @throws DetentError `USAGE`. */
function namesOf(words: readonly string[], flags: Flags, { options }: Settings, io: Io): string[] {
  const { env } = io;
  if (!flags.all) return words.length > 0 ? [...new Set(words)] : [modelOf(runRequest(flags, io), options)];
  if (words.length > 0) throw usage('--all takes no names');
  if (flags['base-url']) throw usage('--base-url needs the name of a model there: any/NAME');
  const keys = new Set<string>();
  const names = providersOf(options, env).flatMap(({ name, kind, apiKeyEnv, hasKey, models }) => {
    const isMeant = kind === 'configured' || (hasKey === true && !keys.has(apiKeyEnv ?? ''));
    // Of several providers with the same key variable the key most likely belongs to the first.
    if (hasKey && apiKeyEnv !== null) keys.add(apiKeyEnv);
    return isMeant ? models.filter(({ id }) => id !== '*').map(({ id }) => `${name}/${id}`) : [];
  });
  return names.length > 0 ? names : [defaultModel(env)];
}

async function tryModel(
  directory: ModelDirectory,
  name: string,
  {
    endpoint,
    timeoutMs,
    providers,
  }: {
    endpoint: ReturnType<typeof endpointOf>;
    timeoutMs: number;
    providers: object;
  },
): Promise<ModelTrial> {
  try {
    const model = fullModelName(name, providers as Readonly<Record<string, object>>);
    const resolved = await directory.resolve(model, endpoint);
    const text = await tryText(resolved, timeoutMs);
    // A model that fails the text trial would fail this one as well.
    const tools = text.ok || text.problem?.kind === 'empty' ? await tryTools(resolved, timeoutMs) : null;
    return { model, ok: text.ok && tools?.ok === true, problem: null, text, tools };
  } catch (error) {
    if (!DetentError.is(error)) throw error;
    const problem = { kind: error.code, message: error.message };
    return { model: name, ok: false, problem, text: null, tools: null };
  }
}

function tableOf(trials: readonly ModelTrial[]): string {
  const head = ['model', 'text', 'tools', 'first piece', 'usage', 'ends with'];
  const rows = trials.map(({ model, text, tools, problem }) => [
    model,
    problem ? 'failed' : trialText(text),
    trialText(tools),
    text?.firstPieceMs == null ? '-' : `${text.firstPieceMs} ms`,
    text?.usage ? `${text.usage.inputTokens} in, ${text.usage.outputTokens} out` : text?.ok ? 'none' : '-',
    [...new Set([text?.finishReason, tools?.finishReason].filter((reason) => reason != null))].join(', ') ||
      '-',
  ]);
  return columns([head, ...rows]) + trials.flatMap(problemsOf).join('');
}

function trialText(trial: Trial | null): string {
  if (trial === null) return 'not tried';
  return trial.ok ? 'ok' : `failed: ${trial.problem?.kind}`;
}

function problemsOf({ model, problem, text, tools }: ModelTrial): string[] {
  return [problem, text?.problem, tools?.problem]
    .filter((one) => one != null)
    .map((one) => {
      const hint = hintOf(one);
      return `\n${model}: ${clipped(one.message, 300)}\n${hint === null ? '' : `  ${hint}\n`}`;
    });
}

const hints: Readonly<Record<string, string>> = {
  MISSING_KEY: 'set the variable, or name another one as apiKeyEnv of the provider',
  UNKNOWN_MODEL: '"detent models list" shows the known models; --base-url uses any other server',
  auth: 'the provider rejects the key: set its variable again, and check that the key belongs to this address',
  permission: 'the key is valid, but not for this model: ask the provider for access',
  not_found: 'there is no such model, or the base URL is wrong: most end with /v1',
  bad_request: 'the server rejects the request: see "quirks" in docs/providers.md',
  rate_limit: 'too many calls, or no credit left: wait, or check the account',
  overloaded: 'the provider is busy: try again later',
  server: 'the provider failed: try again later',
  network: 'no server answers there: check the base URL, the network, and whether the server is running',
  timeout: 'it takes too long: allow more time with --timeout, or check whether the model is still loading',
  malformed: 'the server there does not speak this protocol: check baseUrl and api',
  no_tool_call:
    'runs with tools may not work with this model; its server may need an option that makes it parse tool calls',
  empty: 'the model may need more room: raise maxOutputTokens',
};

/** What to do about a problem; null when its message already says so. */
function hintOf({ kind }: Problem): string | null {
  return Object.hasOwn(hints, kind) ? (hints[kind] ?? null) : null;
}
