import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import type { RunView, WorkflowRunView } from '../../src/index.ts';
import { afterwards } from '../support/afterwards.ts';
import { bareWorkspace, type Workspace } from '../support/cli.ts';
import { refund, writeMachines } from '../support/machines.ts';
import { administer, newDatabase, password } from '../support/postgres.ts';
import { wireTo } from '../support/wire-to-postgres.ts';
import { startServing } from './commands/serve/support.ts';

const command = 'env > shell.env; echo done';
const script = [
  { toolCalls: [{ name: 'shell', arguments: { command } }] },
  { text: 'It is done.' },
  { text: 'And once more.' },
];
/** Directly on this machine, and with a server of tools that only shows what it gets. */
const config = {
  model: 'script/script.json',
  sandbox: 'none',
  mcp: { servers: { spy: { command: 'sh', args: ['-c', 'env > mcp.env; exit 1'] } } },
  log: { level: 'debug', file: 'detent.log' },
};

/** A workspace in which DATABASE_URL is set, and nothing else is different. */
async function workspaceOnServer(): Promise<{ workspace: Workspace; url: string; home: string }> {
  const home = await mkdtemp(join(tmpdir(), 'detent-home-'));
  afterwards(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const url = await newDatabase();
  const files = { 'script.json': JSON.stringify(script), 'detent.config.json': JSON.stringify(config) };
  const defaults = { ownProcess: true, env: { DATABASE_URL: url, DETENT_HOME: home } };
  const workspace = await bareWorkspace(files, defaults);
  return {
    workspace: { ...workspace, start: (args, options) => workspace.start(args, { ...defaults, ...options }) },
    url,
    home,
  };
}

const filesIn = (folder: string) =>
  globSync('**', { cwd: folder, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

/** Every row of every table. */
async function rowsOf(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      "select tablename from pg_tables where schemaname = 'public'",
    );
    let text = '';
    for (const { tablename } of tables) {
      const { rows } = await client.query(
        `select coalesce(json_agg(t)::text, '') as rows from "${tablename}" t`,
      );
      text += `${tablename} ${rows[0].rows}\n`;
    }
    return text;
  } finally {
    await client.end();
  }
}

it('DATABASE_URL is all that a user changes: every command works, and its password is nowhere', async () => {
  const { workspace, url, home } = await workspaceOnServer();
  await writeMachines(workspace, { refund });
  const said: string[] = [];
  const detent = async (...args: string[]) => {
    const ended = await workspace.detent(args);
    said.push(`${args.join(' ')}\n${ended.stdout}${ended.stderr}`);
    return ended;
  };
  const json = async <T = RunView>(...args: string[]): Promise<T> => {
    const { stdout } = await detent(...args, '--json');
    return JSON.parse(stdout) as T;
  };

  // A chat in which somebody types the address, and a confirmation.
  expect((await detent('runs', 'list')).code).toBe(0);
  const chat = await workspace.detent(['chat', '--session', 'tea'], { input: `My database is ${url}\n` });
  said.push(chat.stdout, chat.stderr);
  expect(chat.stderr).toContain('waits for a decision');
  const parked = await json('runs', 'show', 'last');
  expect(parked).toMatchObject({ status: 'waiting', pending: [{ name: 'shell' }] });
  expect((await detent('runs', 'confirm', 'last', 'c2', '--approve')).code).toBe(0);
  expect((await detent('runs', 'resume', 'last')).stdout).toContain('It is done.');
  const [run] = await json<RunView[]>('runs', 'list');
  expect(run).toMatchObject({ runId: parked.runId, status: 'done' });
  expect((await detent('runs', 'why', 'last')).code).toBe(0);
  expect((await detent('runs', 'replay', 'last')).code).toBe(0);
  const forked = await json<{ runId: string }>('runs', 'fork', 'last', '--at', '2');
  expect(forked.runId).not.toBe(parked.runId);

  // A gateway, and commands beside it: a workflow, a job, the page.
  const served = await startServing(workspace);
  expect((await fetch(served.loginUrl)).status).toBe(200);
  const beside = await json<{ runId: string }[]>('runs', 'list');
  expect(beside.map(({ runId }) => runId)).toContain(parked.runId);
  const started = await json<WorkflowRunView>('workflow', 'start', 'refund', '--input', '{"order":"o1"}');
  expect(started).toMatchObject({ status: 'waiting', pending: [{ why: 'Refund o1?' }] });
  expect((await detent('workflow', 'answer', started.runId, 'approval', '--approve')).code).toBe(0);
  await expect
    .poll(async () => (await served.http(`/api/v1/runs/${started.runId}`)).body)
    .toMatchObject({ status: 'done' });
  expect((await detent('cron', 'add', 'tick', '--every', '1s', '--prompt', 'Go')).code).toBe(0);
  await expect
    .poll(async () => (await served.http('/api/v1/runs')).body.runs.length)
    .toBeGreaterThanOrEqual(4);
  const doctor = await detent('doctor', '--offline', '--json');
  expect(JSON.parse(doctor.stdout).checks).toContainEqual(
    expect.objectContaining({ id: 'database.driver', status: 'ok', detail: '1 process drives runs in it' }),
  );
  expect(doctor.stdout).toContain('PostgreSQL 18');
  await detent('config', 'show');
  expect((await detent('backup', 'copy.db')).code).toBe(0);
  expect((await detent('runs', 'show', 'last', '--db', 'copy.db')).code).toBe(0);
  expect((await detent('restore', 'copy.db')).stderr).toContain('is at work in it: ');
  expect((await detent('db', 'copy', 'DATABASE_URL', 'moved.db')).stderr).toContain(
    'is at work in it: stop it',
  );
  const status = await json<{ kind: string; pending: string[] }>('db', 'status');
  expect(status).toMatchObject({ kind: 'postgres', pending: [] });
  served.kill('SIGTERM');
  const { stdout, stderr } = await served.ended;
  said.push(stdout, stderr);
  expect(status).toMatchObject({ tickets: 'new' });
  expect(stderr).toContain('detent db migrate');
  const migrated = (await detent('db', 'migrate')).stdout;
  expect(migrated).toContain('Schema: the version that this program uses');
  expect(migrated).toContain('Tickets: by pg-boss, the version that this program uses');
  expect((await detent('doctor', '--offline')).stdout).toMatch(/Tickets +by pg-boss/);
  expect((await detent('db', 'copy', 'DATABASE_URL', 'moved.db')).stdout).toContain(
    'each compared with postgres://',
  );
  for (const [from, to, why] of [
    [url, 'moved.db', 'moved.db exists; name another file\n'],
    ['moved.db', url, 'has rows already'],
    [url.replace('postgres:', 'mysql:'), 'new.db', 'a database is named by its file'],
  ] as const) {
    const { stderr } = await workspace.detent(['db', 'copy', from, to]);
    expect(stderr).toContain(why);
    said.push(stderr);
  }
  const away = { DATABASE_URL: url.replace(/:\d+\//, ':1/'), DETENT_HOME: home };
  const failed = await workspace.detent(['doctor', '--offline', '--json'], { env: away });
  expect(failed.stdout).toContain('cannot be reached');
  said.push(failed.stdout, failed.stderr);

  const found = filesIn(workspace.folder);
  expect(found.filter((path) => path.includes('detent.db'))).toEqual([]);
  expect(readFileSync(workspace.path('shell.env'), 'utf8')).toContain('PATH=');
  expect(readFileSync(workspace.path('mcp.env'), 'utf8')).toContain('PATH=');
  const places = [...found, ...filesIn(home)].filter((path) => readFileSync(path).includes(password));
  expect(places).toEqual([]);
  expect(said.filter((text) => text.includes(password))).toEqual([]);
  const rows = await rowsOf(url);
  expect(rows).toContain('[redacted:DATABASE_URL]');
  expect(rows).not.toContain(password);

  // What the doctor finds in the rows of a file, it finds here.
  await administer(
    url,
    `update runs set output = '{"outcome":"poisoned"}' where ended = 1 and machine = 'run'`,
    `update runs set context = jsonb_set(context::jsonb, '{next}', '{"slot":1,"at":1}')::text where machine = 'job'`,
    `insert into notices select 1, 'msg_1', pk, 'run_x', null, '{}', 'dead', 3, '{"code":"NOTICE_FAILED","message":"gone"}', 0, 0
      from sessions limit 1`,
  );
  const { checks } = await json<{ checks: { id: string; status: string; detail: string }[] }>(
    'doctor',
    '--offline',
  );
  const inRows = Object.fromEntries(checks.map(({ id, status, detail }) => [id, `${status}: ${detail}`]));
  expect(inRows).toMatchObject({
    'runs.poisoned': expect.stringMatching(/^warn: \d+: a call started three times/),
    jobs: 'warn: "tick" is overdue: no process runs the schedule',
    notices: 'warn: 1 given up, 0 being retried; msg_1 after 3 attempts: NOTICE_FAILED: gone',
  });
});

it('another kind of server is refused with a clear sentence, and --db names a file', async () => {
  const env = { DATABASE_URL: 'mysql://root:not-to-be-shown@localhost/app' };
  const workspace = await bareWorkspace({}, { env });
  for (const args of [
    ['runs', 'resume', '--all'],
    ['run', '--model', 'demo/demo', 'hello'],
    ['runs', 'list'],
  ]) {
    const { code, stderr } = await workspace.detent(args);
    expect({ args, code }).toEqual({ args, code: 3 });
    expect(stderr).toContain('is not the address of a PostgreSQL database: postgres://');
    expect(stderr).not.toContain('not-to-be-shown');
  }
  expect((await workspace.detent(['runs', 'list', '--db', 'here.db'])).code).toBe(0);
  expect(
    (await workspace.detent(['runs', 'list'], { env: { ...env, DETENT_DATABASE_FILE: 'here.db' } })).code,
  ).toBe(0);
});

it.each(['dies', 'deafens'])('a copy into a server that %s in the middle ends, and says so', async (how) => {
  const workspace = await bareWorkspace({}, { ownProcess: true });
  await workspace.detent(['run', 'Hello', '--model', 'demo/demo']);
  const url = await newDatabase();
  const wire = await wireTo(url, { [`${how}At`]: 'insert into "runs"' });
  const { code, stdout, stderr } = await workspace.detent(['db', 'copy', '.detent/detent.db', wire.url]);
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).toMatch(
    /^detent: database \S+ cannot be reached \(Connection terminated\b.*\); start it, or check its URL$/m,
  );
  const unfinished = await workspace.detent(['runs', 'list'], { env: { DATABASE_URL: url } });
  expect(unfinished.code).toBe(6);
  expect(unfinished.stderr).toContain('holds a part of a copy');
});
