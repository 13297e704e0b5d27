import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { proxyOf } from '../../../models/wire.ts';
import { configFields } from '../../../protocol/config.ts';
import type { Variables } from '../../../protocol/json.ts';
import { nearestName } from '../../../text/wording.ts';
import { judgeFolder } from '../../../trust/judge-folder.ts';
import { withDetent } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import {
  type CliOptions,
  databaseOf,
  loadSettings,
  openFolder,
  workspaceOf,
} from '../../settings/load-options.ts';
import { variableOf } from '../../settings/variable-names.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { styled, type Text } from '../../terminal/styled.ts';
import { summary } from '../../trust/question.ts';
import { trustsAll } from '../../trust/require-trust.ts';
import { type Check, type CheckStatus, fail, failed, ok, type Subject, warn } from './check.ts';
import {
  checkNode,
  checkSqlite,
  checkTemporaryFolder,
  checkVariables,
  describeTerminal,
} from './program-checks.ts';
import { checkSandbox, checkUser } from './sandbox-checks.ts';
import { changedAt, checkClock, checkDisk, checkWorkspace } from './workspace-checks.ts';

/** `detent doctor`: checks everything that a run needs, and changes nothing. */
export async function doctorCommand(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const workspace = workspaceOf(flags, io.cwd);
  const checks = await examine(workspace, flags, io);
  const isWell = checks.every(({ status }) => status !== 'fail');
  if (flags.json) io.json({ checks, ok: isWell });
  else io.out(io.asTyped([describeChecks(checks), '\n']));
  return exitCodeOfChecks(checks);
}

async function examine(workspace: string, flags: Flags, io: Io): Promise<Check[]> {
  const { env } = io;
  const sqlite = await checkSqlite(process.platform, process.arch);
  const trust = await checkTrust(flags, io);
  const isTrusted = trust.status !== 'fail';
  const program = [
    checkNode(process.versions.node),
    sqlite,
    checkTerminal(io),
    checkTemporaryFolder(tmpdir()),
    checkEnvironment(env),
    checkIgnored(env),
    checkProxy(env),
    checkUser(process.getuid?.()),
  ];
  // Nothing more of the folder is looked at: its files would decide what these checks do.
  if (!isTrusted) return [...program, checkWorkspace(workspace), trust];
  const { options, file, check: config } = await checkConfiguration(workspace, flags, unattended(io));
  const database = options.database as CliOptions['database'] & { maxPages?: number };
  const now = Date.now();
  const { checks, moments } = await checkDatabaseOf(database, sqlite, now);
  const isLoaded = config.status !== 'fail';
  return [
    ...program,
    await checkSandbox(options.sandbox),
    checkWorkspace(workspace),
    trust,
    config,
    await checkDisk(database.file === ':memory:' ? workspace : database.file),
    checkClock(now, [...moments, ['the configuration', file === null ? undefined : changedAt(file)]]),
    ...checks,
    // Without a valid configuration the model and the servers are unknown.
    ...(isLoaded ? await checkModelOf(options, flags) : []),
    ...(isLoaded ? await checkServersOf(options, flags) : []),
    ...(isLoaded ? await (await import('./shop-checks.ts')).checkShop(options, flags.offline === true) : []),
    await (await import('./skill-checks.ts')).checkSkills({ ...options, workspace }),
    // It runs the code of the modules, which was agreed to above.
    ...(isLoaded ? await (await import('./workflow-checks.ts')).checkMachines(options) : []),
  ];
}

/** By its kind. */
async function checkDatabaseOf(
  { file, url, maxPages }: CliOptions['database'] & { maxPages?: number },
  sqlite: Check,
  now: number,
) {
  if (url !== undefined) return (await import('./server-checks.ts')).checkServerDatabase(url, now);
  // Imported here, because this module loads SQLite, whose check must come first.
  if (sqlite.status === 'fail') return { checks: [], moments: [] };
  return (await import('./database-checks.ts')).checkDatabase(file, maxPages, now);
}

/** Checks whether the folder may be used, without asking. */
async function checkTrust(flags: Flags, io: Io): Promise<Check> {
  const subject: Subject = ['trust', 'Trust'];
  try {
    if (trustsAll(flags.trust === true, io))
      return ok(subject, 'this command trusts everything in the folder (--trust or DETENT_TRUST)');
    const { survey, before, isTrusted } = await judgeFolder(await openFolder(flags, io, io.env));
    if (isTrusted)
      return ok(
        subject,
        before === null ? 'nothing in the folder needs trust' : `you approved it on ${before.at}`,
      );
    const what = before === null ? `it brings ${summary(survey)}` : 'it has changed since you approved it';
    return fail(
      subject,
      `${what}; the doctor checked nothing else of it`,
      'review it, and approve it with: detent trust',
    );
  } catch (error) {
    return failed(subject, error);
  }
}

/** An `io` that asks nothing. */
function unattended(io: Io): Io {
  return Object.create(io, { isAttended: { value: () => false } });
}

async function checkModelOf(options: CliOptions, flags: Flags): Promise<Check[]> {
  const { checkDefaultModel } = await import('./model-checks.ts');
  return checkDefaultModel(options, options.env, flags.offline === true);
}

async function checkServersOf(options: CliOptions, flags: Flags): Promise<Check[]> {
  if (!options.mcp) return [];
  const { checkServers } = await import('./mcp-checks.ts');
  return checkServers(options, flags.offline === true);
}

interface Configuration {
  /** The defaults when the configuration is unusable. */
  options: CliOptions;
  file: string | null;
  check: Check;
}

async function checkConfiguration(workspace: string, flags: Flags, io: Io): Promise<Configuration> {
  const subject: Subject = ['config', 'Configuration'];
  try {
    const { options, file } = await loadSettings(flags, io, recognised(io.env));
    const tools = await toolNames(options);
    const found = `${file === null ? 'no file: the defaults' : basename(file)}, ${tools.length} tools`;
    const unknown = unknownTools(options, tools);
    const check =
      unknown.length === 0
        ? ok(subject, found)
        : warn(subject, `${found}; there is no tool ${unknown.join(', ')}`, `there are ${tools.join(', ')}`);
    return { options, file, check };
  } catch (error) {
    const options = {
      workspace,
      env: io.env,
      database: databaseOf(flags, io.cwd, workspace),
    };
    const remedy =
      'correct the field that it names; "detent init" in another folder writes a file with every field';
    return { options, file: null, check: failed(subject, error, remedy) };
  }
}

/** The names of all tools that a run would have, from a Detent without a database. */
function toolNames(options: CliOptions): Promise<string[]> {
  const { allowed: _, disabled: __, ...tools } = options.tools ?? {};
  // `checkServers` checks the MCP servers.
  const { mcp: ___, ...rest } = options;
  return withDetent({ ...rest, tools, store: 'in-process' }, async (detent) =>
    (await detent.tools.describe()).map(({ name }) => name),
  );
}

function unknownTools({ tools, policy }: CliOptions, known: readonly string[]): string[] {
  const named = [
    ...(tools?.allowed ?? []),
    ...(tools?.disabled ?? []),
    ...Object.keys(policy?.confirm ?? {}),
  ];
  return [...new Set(named)].filter(
    (name) => !name.startsWith('@') && !name.startsWith('mcp__') && !known.includes(name),
  );
}

const withoutField = ['DETENT_HOME', 'DETENT_DEBUG', 'DETENT_TRUST'];

function knownVariables(): string[] {
  return [...configFields().map(variableOf), ...withoutField];
}

/** The environment without unknown DETENT_ variables, which `checkEnvironment` reports. */
function recognised(env: Io['env']): Io['env'] {
  const known = knownVariables();
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('DETENT_') || known.includes(name)),
  );
}

function checkEnvironment(env: Io['env']): Check {
  const known = knownVariables();
  return checkVariables(env, known, (name) => nearestName(name, known) ?? null);
}

function checkTerminal({ stdin, stdout, stderr }: Io): Check {
  return describeTerminal({
    stdin: stdin.isTTY === true,
    stdout: stdout.isTTY,
    stderr: stderr.isTTY,
    columns: stdout.columns,
    colorDepth: stdout.colorDepth,
  });
}

/** The proxy of calls to models, without its password. */
function checkProxy(env: Variables): Check {
  const subject: Subject = ['proxy', 'Proxy'];
  try {
    const found = proxyOf(env);
    if (found === null) return ok(subject, 'none in the environment');
    const addresses = [found.HTTP_PROXY, found.HTTPS_PROXY].filter((one) => one !== undefined);
    const shown = [...new Set(addresses.map(withoutPassword))].join(', ');
    const others =
      env.NODE_USE_ENV_PROXY === '1'
        ? 'http_get and webhooks do not use it'
        : 'only models use it; with NODE_USE_ENV_PROXY=1 also MCP servers, embeddings and gateways';
    return ok(subject, `${shown}, not for ${found.NO_PROXY}; ${others}`);
  } catch (error) {
    return failed(subject, error);
  }
}

function withoutPassword(address: string): string {
  const { protocol, host, password } = new URL(address);
  return `${protocol}//${host}${password === '' ? '' : ' (with a password)'}`;
}

/** Variables of other programs and packages that a person may expect to count here. */
const ignored: Readonly<Record<string, string>> = {
  OPENAI_API_BASE: 'set OPENAI_BASE_URL',
  OPENAI_ORG_ID: 'set the header OpenAI-Organization: models.openai.headers',
  OPENAI_ORGANIZATION: 'set the header OpenAI-Organization: models.openai.headers',
  OPENAI_PROJECT_ID: 'set the header OpenAI-Project: models.openai.headers',
  ANTHROPIC_AUTH_TOKEN: 'set ANTHROPIC_API_KEY, or the header authorization: models.anthropic.headers',
  AZURE_OPENAI_ENDPOINT: 'name the server: models.openai.baseUrl, or OPENAI_BASE_URL',
  AZURE_OPENAI_API_KEY: 'name the variable: models.openai.apiKeyEnv',
  OLLAMA_HOST: 'set OLLAMA_BASE_URL to http://HOST:PORT/v1',
  SSL_CERT_FILE: 'set NODE_EXTRA_CA_CERTS',
  SSL_CERT_DIR: 'set NODE_EXTRA_CA_CERTS',
  REQUESTS_CA_BUNDLE: 'set NODE_EXTRA_CA_CERTS',
};

function checkIgnored(env: Variables): Check {
  const subject: Subject = ['variables.others', 'Variables of others'];
  const set = Object.keys(ignored).filter((name) => env[name]);
  if (set.length === 0) return ok(subject, 'no other known variable is set');
  const remedies = [...new Set(set.map((name) => ignored[name]))].join('; ');
  return warn(
    subject,
    `${set.join(', ')}: Detent does not use ${set.length === 1 ? 'it' : 'them'}`,
    remedies,
  );
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** One aligned line for each check, with its remedy below it. */
export function describeChecks(checks: readonly Check[]): Text {
  const width = Math.max(...checks.map(({ title }) => title.length));
  const lines = checks.flatMap(({ status, title, detail, remedy }) => [
    [styled(colours[status], status.padEnd(4)), `  ${title.padEnd(width)}  ${oneLine(detail)}\n`],
    ...(remedy === null ? [] : [`${' '.repeat(width + 8)}→ ${oneLine(remedy)}\n`]),
  ]);
  return [lines, '\n', verdict(checks)];
}

function verdict(checks: readonly Check[]): string {
  const count = (wanted: CheckStatus) => checks.filter(({ status }) => status === wanted).length;
  const [fails, warns] = [count('fail'), count('warn')];
  const failed = checks.filter(({ status }) => status === 'fail').map(({ title }) => title);
  if (fails + warns === 0) return `all ${checks.length} checks passed`;
  return [
    ...(fails > 0 ? [`${fails} of ${checks.length} checks failed (${failed.join(', ')})`] : []),
    ...(warns > 0 ? [`${warns} ${warns === 1 ? 'warning' : 'warnings'}`] : []),
  ].join(', ');
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}

/**
 * 0 without a failure. 3 when only the configuration, the key or trust failed and 6 when only the database did, as a run would
 * exit; else 1.
 */
export function exitCodeOfChecks(checks: readonly Check[]): number {
  const failures = checks.filter(({ status }) => status === 'fail');
  if (failures.length === 0) return exit.ok;
  if (failures.every(({ id }) => ['config', 'key', 'trust'].includes(id))) return exit.config;
  return failures.every(({ id }) => id.startsWith('database')) ? exit.database : exit.failed;
}
