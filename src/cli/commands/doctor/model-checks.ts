import { parseModelName } from '../../../models/catalogue.ts';
import { addressOf } from '../../../models/find-model.ts';
import type { ProviderConfig } from '../../../models/provider-config.ts';
import type { ModelApi } from '../../../protocol/enums.ts';
import { messageOf } from '../../../protocol/error.ts';
import { isObject, parseJson, type Variables } from '../../../protocol/json.ts';
import type { ChatModel } from '../../../protocol/ports.ts';
import { checkRequest, modelOf } from '../../../runtime/requests.ts';
import { own } from '../../../text/wording.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import { type Check, fail, failed, ok, type Subject, warn } from './check.ts';
import { clockToleranceMs } from './workspace-checks.ts';

const subjects = {
  model: ['model', 'Model'],
  key: ['key', 'Key'],
  provider: ['provider', 'Provider'],
  clock: ['provider.clock', "Provider's clock"],
} as const satisfies Record<string, Subject>;

/** How Detent reaches a provider. */
interface Connection {
  provider: string;
  model: string;
  baseUrl: string;
  /** The variable that names it; null for a preset or the configuration. */
  baseUrlEnv: string | null;
  api: ModelApi;
  /** The variable with the key; null when Detent sends no key. */
  keyVariable: string | null;
  headers: Readonly<Record<string, string>>;
  /** Whether a `fetch` of the configuration sends the requests. */
  hasFetch: boolean;
}

/**
 * Checks the default model: its name, its key, and whether its provider accepts the key.
 *
 * @param isOffline whether to skip checks that use the network
 */
export async function checkDefaultModel(
  options: CliOptions,
  env: Variables,
  isOffline: boolean,
): Promise<Check[]> {
  const request = env.DETENT_MODEL ? { model: env.DETENT_MODEL } : {};
  try {
    const name = modelOf(request, options);
    if (name === 'demo/demo' || name === 'demo/tour') return [demo(name)];
    const connection = connectionOf(name, options.models ?? {}, env);
    if (connection === null) return [ok(subjects.model, `${name}, a model of your own`)];
    const key = checkKey(connection, env);
    // A malformed key must not be sent: HTTP clients quote it in their errors.
    if (key.status === 'fail') return [key];
    checkRequest(request, options);
    const at =
      connection.baseUrlEnv === null
        ? ''
        : `, at ${withoutUser(connection.baseUrl)} (${connection.baseUrlEnv})`;
    const known = [ok(subjects.model, `${name}${at}`), key];
    return isOffline || connection.hasFetch ? known : [...known, ...(await ask(connection, env))];
  } catch (error) {
    return [missing(error)];
  }
}

function withoutUser(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

function demo(name: string): Check {
  return warn(
    subjects.model,
    `${name}: a few fixed rules, not a language model`,
    'set a key, OPENAI_API_KEY for one, or name a model in the configuration, like ollama/qwen3',
  );
}

/** A missing key fails the check `key`, any other error the check `model`. */
function missing(error: unknown): Check {
  const code = isObject(error) ? error.code : null;
  if (code === 'MISSING_KEY')
    return fail(subjects.key, messageOf(error), 'set the variable, or choose another model (DETENT_MODEL)');
  const remedy =
    code === 'PRICE_MISSING'
      ? 'set the price, or remove limits.maxCostUsd'
      : 'correct "model" in the configuration, or DETENT_MODEL';
  return failed(subjects.model, error, remedy);
}

/** Null where code of the configuration makes the calls: a ChatModel object, or a client of the openai package. */
function connectionOf(
  name: string,
  providers: Readonly<Record<string, ProviderConfig | ChatModel>>,
  env: Variables,
): Connection | null {
  const { provider, model } = parseModelName(name);
  const configured = own(providers, provider);
  if (configured && ('generate' in configured || configured.client)) return null;
  const address = addressOf(provider, null, providers, env);
  const { baseUrl = '', api = 'chat', apiKeyEnv = null, baseUrlEnv = null } = address ?? {};
  return {
    provider,
    model,
    baseUrl,
    baseUrlEnv,
    api,
    headers: configured?.headers ?? {},
    keyVariable: apiKeyEnv,
    hasFetch: configured?.fetch !== undefined,
  };
}

function checkKey({ keyVariable }: Connection, env: Variables): Check {
  const key = keyVariable === null ? undefined : own(env, keyVariable);
  if (keyVariable === null || key === undefined) return ok(subjects.key, 'Detent sends none');
  if (/^\s|\s$|^['"]|['"]$|[^\x20-\x7e]/.test(key))
    return fail(
      subjects.key,
      `${keyVariable} contains white space, quotes or unusual characters`,
      `set ${keyVariable} to the key and nothing else`,
    );
  return ok(subjects.key, `${keyVariable} is set`);
}

const limitMs = 5_000;
const maxBytes = 4 * 2 ** 20;

async function ask(connection: Connection, env: Variables): Promise<Check[]> {
  const { baseUrl, keyVariable } = connection;
  const { origin } = new URL(baseUrl);
  const key = keyVariable === null ? undefined : own(env, keyVariable);
  const { readText, send } = await import('../../../models/wire.ts');
  try {
    const response = await send({
      method: 'GET',
      ...question(connection, key),
      body: '',
      signal: AbortSignal.timeout(limitMs),
      firstByteTimeoutMs: limitMs,
      idleTimeoutMs: limitMs,
    });
    const text = await readText(response.body, maxBytes);
    const date = response.headers.date;
    return [
      judgeAnswer(connection, response.status, text),
      ...judgeDate(typeof date === 'string' ? date : undefined, Date.now(), origin),
    ];
  } catch (error) {
    return [
      fail(
        subjects.provider,
        `${origin} cannot be reached: ${messageOf(error)}`,
        'check the base URL, the network and any firewall; --offline leaves this out',
      ),
    ];
  }
}

/** The request that lists the models. Anthropic has its own path and its own header for the key. */
function question(
  { baseUrl, api, headers }: Connection,
  key: string | undefined,
): { url: string; headers: Record<string, string> } {
  const base = baseUrl.replace(/\/+$/, '');
  const accept = 'application/json';
  if (api === 'messages')
    return {
      url: `${base.replace(/\/v1$/, '')}/v1/models?limit=1000`,
      headers: { accept, 'anthropic-version': '2023-06-01', ...(key && { 'x-api-key': key }), ...headers },
    };
  const authorization = key && { authorization: `Bearer ${key}` };
  return { url: `${base}/models`, headers: { accept, ...authorization, ...headers } };
}

/** The finding from a provider's answer to `GET /models`. */
function judgeAnswer({ model, baseUrl, keyVariable }: Connection, status: number, text: string): Check {
  const { host } = new URL(baseUrl);
  if (status === 401 || status === 403)
    return fail(
      subjects.provider,
      `${host} refuses the key (${status})`,
      keyVariable === null
        ? 'it needs a key: name its variable as apiKeyEnv of the provider'
        : `set ${keyVariable} to a valid key of this provider`,
    );
  if (status === 404)
    return warn(
      subjects.provider,
      `${host} answers, but has no list of models there: the key was not tested`,
      `if runs fail, check the base URL ${baseUrl}; most end with /v1`,
    );
  if (status < 200 || status > 299)
    return warn(subjects.provider, `${host} answers ${status} when asked for its models`, 'try again later');
  const ids = modelIds(text);
  if (ids === null)
    return warn(
      subjects.provider,
      `${host} answers, but not with a list of models`,
      `check the base URL ${baseUrl}; most end with /v1`,
    );
  if (ids.length > 0 && !ids.includes(model))
    return warn(
      subjects.provider,
      `${host} does not list "${model}", but ${ids.length} others`,
      `one of: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`,
    );
  return ok(subjects.provider, `${host} answers${keyVariable === null ? '' : ' and accepts the key'}`);
}

/** The ids in a list of models; null for any other body. */
function modelIds(text: string): string[] | null {
  const body = parseJson(text);
  const data = isObject(body) ? body.data : null;
  if (!Array.isArray(data)) return null;
  return data.flatMap((entry) => (isObject(entry) && typeof entry.id === 'string' ? [entry.id] : []));
}

/** Empty when the server sent no date. */
function judgeDate(date: string | undefined, now: number, origin: string): Check[] {
  const there = Date.parse(date ?? '');
  if (Number.isNaN(there)) return [];
  const apartMs = Math.abs(now - there);
  if (apartMs <= clockToleranceMs) return [ok(subjects.clock, 'agrees with the clock here')];
  return [
    warn(
      subjects.clock,
      `${origin} says ${new Date(there).toISOString()}, ${Math.round(apartMs / 60_000)} minutes from the clock here`,
      'set the clock (timedatectl set-ntp true): deadlines and expiry times depend on it',
    ),
  ];
}
