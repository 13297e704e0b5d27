import { presets } from '../../models/catalogue.ts';
import { isObject } from '../../protocol/json.ts';
import { isPostgresUrl, shownDatabase } from '../../text/wording.ts';

/** One thing that a folder wants Detent to do: a kind, and what it is in words. */
export type Want = readonly [kind: string, what: string];

const empty: Readonly<Record<string, unknown>> = {};

/**
 * What a configuration in YAML or JSON asks for, read off the file: nothing of it has been checked, and no variable is
 * filled in.
 *
 * @param servers those of `.mcp.json`
 */
export function wantsOfConfig(config: unknown, servers: unknown): Want[] {
  const fields = object(config);
  const { models, memory, mcp, policy, sandbox, egress, webhooks, tools, skills, database, log, jobs } =
    fields;
  const { url: told, secretEnv } = object(fields.notify);
  return [
    ...Object.entries(object(models)).flatMap(([name, provider]) => wantsOfProvider(name, provider)),
    ...wantsOfEmbeddings(object(object(memory).embeddings)),
    ...wantsOfServers(object(mcp).servers, 'of the configuration'),
    ...wantsOfProjectServers(object(mcp), servers),
    ...wantsOfPolicy(object(policy)),
    ...(sandbox === undefined || sandbox === 'auto' || sandbox === 'bubblewrap'
      ? []
      : [['sandbox', `${valueText(sandbox)}: shell commands run directly on this machine`] as const]),
    ...wantsOf('network', object(egress).allow, 'http_get may reach'),
    ...wantsOf('network', object(webhooks).allowHosts, 'webhooks of jobs may reach'),
    ...Object.entries(object(object(webhooks).secretEnv)).flatMap(([tenant, variables]) =>
      wantsOf('variable', variables, `webhooks of tenant ${tenant} may be signed with`),
    ),
    ...wantsOf('tools', object(tools).allowed, 'only these may be used:'),
    ...wantsOf('skills', object(skills).approved, 'trusted, so they may skip confirmations:'),
    ...wantsOf('skills', object(skills).folders, 'also read from'),
    ...(object(database).file === undefined ? [] : [['database', valueText(object(database).file)] as const]),
    ...(object(database).url === undefined
      ? []
      : [['database', `all runs are kept at ${shownServer(object(database).url)}`] as const]),
    ...(object(log).file === undefined
      ? []
      : [['log', `written to ${valueText(object(log).file)}`] as const]),
    ...(fields.notify === undefined
      ? []
      : [
          [
            'network',
            `tells ${valueText(told)} of runs that wait or end${secretEnv === undefined ? '' : `, signed with ${valueText(secretEnv)}`}`,
          ] as const,
        ]),
    ...wantsOfShop(object(fields.shop)),
    ...wantsOfJobs(jobs),
    ...wantsOfVariables(config),
    ...wantsOfOthers(fields),
  ];
}

/** The servers of a `.mcp.json` without a configuration that says which may be used. */
export function wantsOfProjectServers(mcp: Readonly<Record<string, unknown>>, servers: unknown): Want[] {
  const allowed = Array.isArray(mcp.allow) ? mcp.allow : [];
  const isUsed = (name: string) => mcp.project === true || allowed.includes(name);
  return Object.entries(object(servers)).flatMap(([name, server]) =>
    wantsOfServers(
      { [name]: server },
      isUsed(name) ? 'of .mcp.json' : 'of .mcp.json, off until mcp.allow names it',
    ),
  );
}

function wantsOfProvider(name: string, provider: unknown): Want[] {
  const { baseUrl, apiKeyEnv, headers, api } = object(provider);
  const known = Object.hasOwn(presets, name) ? presets[name] : undefined;
  const keys = [
    ...(apiKeyEnv !== undefined ? [valueText(apiKeyEnv)] : known?.apiKeyEnv ? [known.apiKeyEnv] : []),
    ...variablesIn({ headers, baseUrl }).map(([variable]) => variable),
  ];
  const address = baseUrl === undefined ? 'its usual address' : valueText(baseUrl);
  const gets = keys.length === 0 ? 'gets no key' : `gets ${[...new Set(keys)].join(', ')}`;
  return [['provider', `${name}${api === undefined ? '' : ` (${valueText(api)})`}: ${address} ${gets}`]];
}

function wantsOfEmbeddings(embeddings: Readonly<Record<string, unknown>>): Want[] {
  const { model, baseUrl, apiKeyEnv, download } = embeddings;
  if (Object.keys(embeddings).length === 0) return [];
  const address = baseUrl === undefined ? 'its usual address' : valueText(baseUrl);
  const key = apiKeyEnv === undefined ? '' : ` gets ${valueText(apiKeyEnv)}`;
  return [
    ['embeddings', `${valueText(model)}: ${address}${key}`],
    ...(download === true ? [['embeddings', 'downloads the model'] as const] : []),
  ];
}

function wantsOfServers(servers: unknown, from: string): Want[] {
  return Object.entries(object(servers)).map(([name, server]): Want => {
    const { command, args, url, env, headers, cwd } = object(server);
    const variables = variablesIn({ env, headers, url, args, command }).map(([variable]) => variable);
    const gets = variables.length === 0 ? '' : ` gets ${[...new Set(variables)].join(', ')}`;
    if (command === undefined) return ['MCP server', `${name} ${from}: ${valueText(url)}${gets}`];
    const words = [command, ...(Array.isArray(args) ? args : args === undefined ? [] : [args])];
    const where = cwd === undefined ? '' : ` in ${valueText(cwd)}`;
    // A variable of its environment can make a program run another one (LD_PRELOAD, NODE_OPTIONS).
    const sets = Object.entries(object(env)).map(([variable, value]) => `${variable}=${valueText(value)} `);
    return ['MCP program', `${name} ${from}: ${sets.join('')}${words.map(asWord).join(' ')}${where}${gets}`];
  });
}

function wantsOfPolicy({ approve, confirm, taint }: Readonly<Record<string, unknown>>): Want[] {
  const unasked = Object.entries(object(confirm)).filter(([, asks]) => asks !== true);
  return [
    ...(approve === undefined || approve === 'ask' || approve === 'none'
      ? []
      : [['policy', `approve: ${valueText(approve)}: no tool call asks a person`] as const]),
    ...(unasked.length === 0
      ? []
      : [['policy', `never asks a person about ${unasked.map(([tool]) => tool).join(', ')}`] as const]),
    ...(taint === undefined || taint === 'confirm'
      ? []
      : [
          [
            'policy',
            `taint: ${valueText(taint)}: untrusted text in a conversation makes no call ask`,
          ] as const,
        ]),
  ];
}

function wantsOfShop({ http, ucp }: Readonly<Record<string, unknown>>): Want[] {
  const { url, endpoint } = object(ucp);
  return [object(http).baseUrl, url, endpoint].flatMap((address) =>
    address === undefined
      ? []
      : [['network', `the shop at ${valueText(address)} gets what customers ask for, and their credentials`]],
  );
}

/** Runs that begin by themselves, while no person is there. */
function wantsOfJobs(jobs: unknown): Want[] {
  return (Array.isArray(jobs) ? jobs : []).map((job): Want => {
    const { jobId, cron, every, at, prompt, delivery, alert } = object(job);
    const when =
      cron === undefined
        ? every === undefined
          ? `at ${valueText(at)}`
          : `every ${valueText(every)}`
        : valueText(cron);
    const targets = [delivery, alert].flat().filter((target) => target !== undefined);
    const goes = targets.length === 0 ? '' : `; results go to ${targets.map(valueText).join(', ')}`;
    return ['job', `${valueText(jobId)} (${when}) runs by itself: ${valueText(prompt)}${goes}`];
  });
}

/** Where the values of variables go, but for providers and servers, which have their own lines. */
function wantsOfVariables(config: unknown): Want[] {
  const { models: _, mcp: __, ...rest } = object(config);
  return variablesIn(rest).map(([variable, path]) => ['variable', `${variable} is filled into ${path}`]);
}

const described =
  'models memory mcp policy sandbox egress webhooks tools skills database log jobs notify'.split(' ');

function wantsOfOthers(fields: Readonly<Record<string, unknown>>): Want[] {
  const others = Object.keys(fields).filter((name) => !described.includes(name));
  return others.length === 0 ? [] : [['settings', others.join(', ')]];
}

function wantsOf(kind: string, list: unknown, what: string): Want[] {
  if (list === undefined || (Array.isArray(list) && list.length === 0)) return [];
  return [[kind, `${what} ${Array.isArray(list) ? list.map(valueText).join(', ') : valueText(list)}`]];
}

const mark = /\$\{([A-Za-z_][A-Za-z0-9_]*)/g;

/** The variables that are filled into the texts of a value, and the path of each. */
function variablesIn(value: unknown, path = ''): [variable: string, path: string][] {
  if (typeof value === 'string')
    return [...value.replaceAll('$${', '').matchAll(mark)].map(([, name = '']) => [name, path]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    variablesIn(inner, path === '' ? key : `${path}.${key}`),
  );
}

function asWord(value: unknown): string {
  const word = valueText(value);
  return /^[\w./:@=+,${}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
}

function object(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : empty;
}

/** Without a password. */
function shownServer(url: unknown): string {
  return typeof url === 'string' && isPostgresUrl(url) ? shownDatabase(url) : 'another server';
}
