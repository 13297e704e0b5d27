import { readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { type Check, type CheckStatus, fail, ok, warn } from '../../../../src/cli/commands/doctor/check.ts';
import { describeChecks, exitCodeOfChecks } from '../../../../src/cli/commands/doctor/doctor-command.ts';
import { checkNode, checkTemporaryFolder } from '../../../../src/cli/commands/doctor/program-checks.ts';
import { judgeSpace } from '../../../../src/cli/commands/doctor/workspace-checks.ts';
import { plainText } from '../../../../src/cli/terminal/styled.ts';
import type { Detent } from '../../../../src/index.ts';
import { afterwards } from '../../../support/afterwards.ts';
import {
  answering,
  bareWorkspace,
  by,
  type CliOptions,
  hasTerminals,
  type Workspace,
} from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';
import { tampersWith } from '../../../support/left-behind.ts';
import { freePort, listening } from '../../../support/listening.ts';
import { refund, writeMachines } from '../../../support/machines.ts';
import { describeWith } from '../../../support/needs.ts';

interface Report {
  checks: Check[];
  ok: boolean;
}

const question = ['run', '--quiet', 'What is 1 + 1?'];
const databaseOf = (workspace: Workspace) => workspace.path('.detent/detent.db');

/** A workspace with one finished run in its database. */
async function used(files: Record<string, string> = {}): Promise<Workspace> {
  const workspace = await bareWorkspace(files);
  expect((await workspace.detent(question)).code).toBe(0);
  return workspace;
}

function change(workspace: Workspace, sql: string): void {
  tampersWith(workspace.folder);
  const db = new Sqlite(databaseOf(workspace));
  db.pragma('foreign_keys = OFF');
  db.exec(sql);
  db.close();
}

async function doctor(workspace: Workspace, args: readonly string[] = [], options: CliOptions = {}) {
  const { code, stderr, view } = await workspace.json<Report>(['doctor', ...args], options);
  const of = (id: string) => view.checks.find((check) => check.id === id);
  return { code, stderr, ...view, of, failures: view.checks.filter(({ status }) => status === 'fail') };
}

/** The only check that fails is this one; its remedy is about this. */
async function expectFailure(
  workspace: Workspace,
  id: string,
  code: number,
  remedy: RegExp,
  args: string[] = [],
) {
  const report = await doctor(workspace, args);
  expect(report.failures.map((check) => check.id)).toEqual([id]);
  expect(report).toMatchObject({ code, ok: false });
  expect(report.failures[0]?.remedy).toMatch(remedy);
  return report.failures[0] as Check;
}

describe.concurrent('doctor', () => {
  it('finds a workspace well that only has no model, and says so', async () => {
    const workspace = await used();
    const { code, stdout, stderr } = await workspace.detent(['doctor']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ok {4}Node +24\./m);
    expect(stdout).toMatch(/^ok {4}Integrity +integrity_check: ok$/m);
    expect(stdout).toMatch(
      /^warn {2}Model +demo\/demo: .*not a language model\n +→ set a key, OPENAI_API_KEY/m,
    );
    // It also reports root, and a machine without a sandbox.
    expect(stdout).toMatch(/\n\n[123] warnings?\n$/);
  });

  it('prints the same for programs', async () => {
    const workspace = await used();
    const report = await doctor(workspace);
    expect(report).toMatchObject({ code: 0, ok: true });
    for (const check of report.checks)
      expect(Object.keys(check)).toEqual(['id', 'status', 'title', 'detail', 'remedy']);
    expect(new Set(report.checks.map(({ id }) => id)).size).toBe(report.checks.length);
    for (const { status, remedy } of report.checks) if (status !== 'ok') expect(remedy).toBeTruthy();
  });

  it('makes no database where there is none', async () => {
    const workspace = await bareWorkspace();
    const report = await doctor(workspace);
    expect(report).toMatchObject({ code: 0, ok: true });
    expect(report.of('database')?.detail).toContain('none yet');
    expect(await readdir(workspace.folder)).toEqual([]);
  });

  it('changes nothing in one that is there', async () => {
    const workspace = await used();
    const state = async () => ({
      names: (await readdir(workspace.path('.detent'))).filter((name) => !/-(wal|shm)$/.test(name)),
      bytes: (await readFile(databaseOf(workspace))).toString('base64'),
    });
    const before = await state();
    await doctor(workspace);
    expect(await state()).toEqual(before);
  });

  it('knows nothing of a database that is nowhere', async () => {
    const workspace = await bareWorkspace();
    const report = await doctor(workspace, ['--db', ':memory:']);
    expect(report.code).toBe(0);
    expect(report.of('database')?.detail).toContain('in memory');
  });

  it('ends with 4 for a workspace that is not there', async () => {
    const workspace = await bareWorkspace();
    const ended = await workspace.detent(['doctor', '--workspace', 'missing']);
    expect(ended).toMatchObject({ code: 4, stdout: '' });
  });
});

describe.concurrent('a database that is not well', () => {
  it('is no database', async () => {
    const workspace = await bareWorkspace();
    await mkdir(workspace.path('.detent'));
    await writeFile(databaseOf(workspace), 'a letter to my aunt\n'.repeat(50));
    const { detail } = await expectFailure(workspace, 'database', 6, /another file|move/);
    expect(detail).toContain('not a database');
  });

  it('is a folder', async () => {
    const workspace = await bareWorkspace();
    await mkdir(databaseOf(workspace), { recursive: true });
    await expectFailure(workspace, 'database', 6, /name a file/);
  });

  it('was cut short', async () => {
    const workspace = await used();
    await truncate(databaseOf(workspace), 6_000);
    const report = await doctor(workspace);
    expect(report).toMatchObject({ code: 6, ok: false });
    for (const { id } of report.failures) expect(id).toMatch(/^database/);
    expect(report.failures[0]?.remedy).toMatch(/backup/);
  });

  itDeep('has a damaged page', async () => {
    const workspace = await used();
    const bytes = await readFile(databaseOf(workspace));
    // Behind the first page, which holds the schema.
    bytes.fill(0xa5, 8 * 4096, 12 * 4096);
    await writeFile(databaseOf(workspace), bytes);
    const report = await doctor(workspace);
    expect(report.code).not.toBe(0);
    expect(report.of('database.integrity')).toMatchObject({
      status: 'fail',
      remedy: expect.stringMatching(/backup/),
    });
  });

  it('has rows that point to nothing', async () => {
    const workspace = await used();
    change(
      workspace,
      "insert into timers (run_pk, id, tenant_id, event, due_at) values (999, 'x', 1, '{}', 0)",
    );
    const { detail } = await expectFailure(workspace, 'database.references', 6, /backup/);
    expect(detail).toContain('from timers to runs');
  });

  it('was written by a newer Detent', async () => {
    const workspace = await used();
    change(workspace, "insert into kysely_migration (name, timestamp) values ('9999_future', '2099')");
    await expectFailure(workspace, 'database.schema', 6, /upgrade/);
  });

  it('belongs to some other program', async () => {
    const workspace = await bareWorkspace();
    await mkdir(workspace.path('.detent'));
    change(workspace, 'create table letters (text)');
    await expectFailure(workspace, 'database.schema', 6, /--db/);
  });

  it('has reached its bound', async () => {
    const workspace = await used();
    await workspace.write('detent.config.json', '{"database":{"maxPages":2}}');
    const { detail } = await expectFailure(workspace, 'database.size', 6, /maxPages/);
    expect(detail).toMatch(/\d+ of at most 2 pages/);
  });

  it('is not far from its bound', async () => {
    const workspace = await used();
    const db = new Sqlite(databaseOf(workspace));
    const pages = Number(db.pragma('page_count', { simple: true }));
    db.close();
    await workspace.write('detent.config.json', JSON.stringify({ database: { maxPages: pages + 1 } }));
    expect((await doctor(workspace)).of('database.size')).toMatchObject({ status: 'warn' });
  });

  it('has a log that is not copied into it', async () => {
    const workspace = await used();
    await writeFile(`${databaseOf(workspace)}-wal`, '');
    await truncate(`${databaseOf(workspace)}-wal`, 65 * 2 ** 20);
    expect((await doctor(workspace)).of('database.log')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('65 MB'),
    });
  });

  itDeep('is driven by a live process, which is named', async () => {
    const workspace = await bareWorkspace();
    const provider = await answering({ text: 'half', ending: 'hang' });
    const live = workspace.start(['run', 'hi', ...by(provider)]);
    await live.saw('stdout', /half/);
    const during = await doctor(workspace);
    expect(during.code).toBe(0);
    expect(during.of('database.driver')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining(`process ${live.pid}`),
    });
    expect(during.of('runs.interrupted')).toMatchObject({ status: 'ok' });

    live.kill('SIGKILL');
    await live.ended;
    const after = await doctor(workspace);
    expect(after.of('database.driver')).toMatchObject({ status: 'ok' });
    expect(after.of('runs.interrupted')).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(/^1:/),
      remedy: expect.stringMatching(/detent runs show run_\w+; .*detent runs resume --all/),
    });
  });

  itDeep('is locked against readers by another program', async () => {
    const workspace = await used();
    const db = new Sqlite(databaseOf(workspace));
    db.pragma('journal_mode = DELETE');
    db.exec('BEGIN EXCLUSIVE');
    const report = await doctor(workspace);
    db.close();
    expect(report).toMatchObject({ code: 6, ok: false });
    expect(report.failures[0]?.remedy).toMatch(/stop that process/);
  });
});

describe.concurrent('runs', () => {
  it('that wait for a person are counted, with how to look', async () => {
    const workspace = await bareWorkspace();
    expect((await workspace.detent(['run', 'write "x" to a.txt'])).code).toBe(5);
    const report = await doctor(workspace);
    expect(report.of('runs.waiting')).toMatchObject({
      status: 'ok',
      detail: '1 for a person',
      remedy: expect.stringMatching(/detent runs show run_\w+/),
    });
  });

  itDeep('of which the host could not be told are a warning, with what stood in the way', async () => {
    const workspace = await bareWorkspace();
    let tries = 0;
    const notify = () => {
      tries++;
      throw new Error('nobody listens');
    };
    const run = async (detent: Detent) => {
      await detent.run('write "x" to a.txt').result;
      await expect.poll(() => tries).toBe(1);
    };
    await workspace.withLibrary(run, { notify, onError: () => {} });
    expect((await doctor(workspace)).of('notices')).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(
        /^0 given up, 1 being retried; msg_run_\S+ after 1 attempt: NOTICE_FAILED: nobody/,
      ),
    });
    const { stdout } = await workspace.detent(['runs', 'notices']);
    expect(stdout).toMatch(
      /^run_\S+ {2}tenant 1 {2}run\.waiting {2}pending +\S+ {2}1 attempt {2}NOTICE_FAILED: nobody listens\n$/,
    );
    const { view } = await workspace.json<object[]>(['runs', 'notices', '--limit', '1']);
    expect(view).toMatchObject([{ status: 'pending', attempts: 1, notice: { type: 'run.waiting' } }]);
  });

  itDeep(
    'that were driven before the database was copied are a warning, until they are taken over',
    async () => {
      const workspace = await bareWorkspace();
      expect((await workspace.detent(['run', 'write "x" to a.txt'])).code).toBe(5);
      expect((await doctor(workspace)).of('runs.moved')).toMatchObject({ status: 'ok' });
      await workspace.detent(['backup', 'copy.db']);
      await workspace.write('detent.config.json', '{ "database": { "file": "copy.db" } }');
      const copied = await doctor(workspace);
      expect(copied.of('runs.moved')).toMatchObject({
        status: 'warn',
        detail: expect.stringContaining(`1 not ended, driven in ${databaseOf(workspace)}`),
        remedy: expect.stringMatching(/detent runs resume run_\w+ --here/),
      });
      const command = /detent (runs resume .*)$/.exec(copied.of('runs.moved')?.remedy ?? '')?.[1] ?? '';
      await workspace.detent(command.split(' '));
      expect((await doctor(workspace)).of('runs.moved')).toMatchObject({ status: 'ok' });
    },
  );

  itDeep('whose chart was edited are a warning, with the way out', async () => {
    const workspace = await bareWorkspace();
    await writeMachines(workspace, { refund });
    await workspace.detent(['workflow', 'start', 'refund', '--input', '{"order":"o1"}']);
    expect((await doctor(workspace)).of('workflows.runs')).toMatchObject({ status: 'ok' });
    await rm(workspace.path('machines/refund.machine.ts'));
    await writeMachines(workspace, { edited: refund.replaceAll('approving', 'agreeing'), bad: 'throw 1;' });
    const report = await doctor(workspace);
    expect(report.of('workflows.runs')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('its chart was edited and kept its version (CHART_CHANGED)'),
      remedy: expect.stringMatching(/detent runs why run_\w+/),
    });
    expect(report.of('workflows')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('1 of 2 can be used; machines/bad.machine.ts is not'),
    });
  });

  it('that are poisoned are a warning for a week', async () => {
    const workspace = await used();
    change(workspace, "update runs set output = json_set(output, '$.outcome', 'poisoned')");
    expect((await doctor(workspace)).of('runs.poisoned')).toMatchObject({
      status: 'warn',
      remedy: expect.stringMatching(/detent runs show run_\w+/),
    });
    change(workspace, 'update runs set updated_at = updated_at - 8 * 24 * 3600 * 1000');
    expect((await doctor(workspace)).of('runs.poisoned')).toMatchObject({ status: 'ok' });
  });
});

describe.concurrent('a clock', () => {
  it('behind the newest run is a warning', async () => {
    const workspace = await used();
    change(workspace, 'update runs set updated_at = updated_at + 3600 * 1000');
    const report = await doctor(workspace);
    expect(report.of('clock')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('the newest run'),
    });
  });

  it('behind the file is a warning', async () => {
    const workspace = await used();
    const later = new Date(Date.now() + 86_400_000);
    await utimes(databaseOf(workspace), later, later);
    const report = await doctor(workspace);
    expect(report.of('clock')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('the database'),
    });
  });
});

describe.concurrent('a configuration', () => {
  it('that is wrong is the failure, and the database is looked at all the same', async () => {
    const workspace = await used();
    await workspace.write('detent.config.json', '{"limits":{"maxSteps":0}}');
    const { detail } = await expectFailure(workspace, 'config', 3, /detent init/);
    expect(detail).toContain('limits.maxSteps');
    expect((await doctor(workspace)).of('database.integrity')).toMatchObject({ status: 'ok' });
  });

  it('that cannot be loaded is the failure', async () => {
    const workspace = await bareWorkspace({ 'detent.config.ts': 'throw new Error("no such house");' });
    const { detail } = await expectFailure(workspace, 'config', 3, /correct/);
    expect(detail).toContain('no such house');
  });

  it('with two tools of one name is the failure', async () => {
    const tool = `defineTool({ name: 'datetime', description: 'x', jsonSchema: { type: 'object' }, sideEffect: 'readonly', run() {} })`;
    const workspace = await bareWorkspace({
      'detent.config.ts': `import { defineTool } from 'detent'; export default { tools: { define: [${tool}] } };`,
    });
    await expectFailure(workspace, 'config', 3, /correct/);
  });

  it('that allows a tool which does not exist is the failure', async () => {
    const workspace = await bareWorkspace({ 'detent.config.json': '{"tools":{"allowed":["calcualtor"]}}' });
    const { detail } = await expectFailure(workspace, 'config', 3, /correct/);
    expect(detail).toContain('there is no tool "calcualtor"; did you mean "calculator"?');
  });

  it('that allows a tool which is not there as things are is a warning', async () => {
    const allowed = ['calculator', 'product_search'];
    const workspace = await bareWorkspace({ 'detent.config.json': JSON.stringify({ tools: { allowed } }) });
    expect((await doctor(workspace)).of('config')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('there is no tool product_search'),
      remedy: expect.stringContaining('calculator'),
    });
  });

  it('by variables: those that mean nothing are a warning, said once', async () => {
    const workspace = await bareWorkspace();
    const report = await doctor(workspace, [], {
      env: { DETENT_MODLE: 'x/y', DETENT_LIMITS_MAX_STEPS: '3' },
    });
    expect(report.stderr).toBe('');
    expect(report.of('variables')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('DETENT_MODLE'),
      remedy: expect.stringContaining('DETENT_MODEL instead'),
    });
    const known = await doctor(workspace, [], { env: { DETENT_LIMITS_MAX_STEPS: '3', DETENT_DEBUG: '1' } });
    expect(known.of('variables')).toMatchObject({ status: 'ok' });
  });

  itDeep('by a proxy or an address of the environment: they are named, without a password', async () => {
    const workspace = await bareWorkspace();
    const report = await doctor(workspace, ['--offline'], {
      env: {
        HTTPS_PROXY: 'http://me:secret@proxy.test:3128',
        OPENAI_API_KEY: 'k',
        OPENAI_BASE_URL: 'http://me:secret@127.0.0.1:9/v1',
        OPENAI_ORG_ID: 'org',
      },
    });
    expect(report.of('proxy')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('http://proxy.test:3128 (with a password)'),
    });
    expect(report.of('model')).toMatchObject({
      detail: expect.stringContaining('at http://127.0.0.1:9/v1 (OPENAI_BASE_URL)'),
    });
    expect(report.of('variables.others')).toMatchObject({
      status: 'warn',
      remedy: expect.stringContaining('OpenAI-Organization'),
    });
    const wrong = await doctor(workspace, ['--offline'], {
      env: { ALL_PROXY: 'socks5://me:secret@127.0.0.1' },
    });
    expect(wrong.of('proxy')).toMatchObject({
      status: 'fail',
      detail: expect.not.stringContaining('secret'),
    });
  });
});

describe.concurrent('a model', () => {
  /** A provider that treats `GET …/models` like this, and a workspace whose default model is there. */
  async function providedBy(listener: RequestListener): Promise<Workspace> {
    const server = createServer(listener);
    const url = await listening(server);
    afterwards(() => {
      server.closeAllConnections();
      server.close();
    });
    return at(`${url}/v1`);
  }

  const at = (baseUrl: string) =>
    bareWorkspace({
      'detent.config.json': JSON.stringify({
        model: 'house/large',
        models: { house: { baseUrl, apiKeyEnv: 'HOUSE_KEY', headers: { 'x-team': 'shop' } } },
      }),
    });
  const env = { HOUSE_KEY: 'sk-house-0123456789' };
  const models = JSON.stringify({ object: 'list', data: [{ id: 'large' }, { id: 'small' }] });

  it('is well when its provider lists it', async () => {
    const asked: unknown[] = [];
    const workspace = await providedBy(({ method, url, headers }, response) => {
      asked.push({ method, url, key: headers.authorization, team: headers['x-team'] });
      response.end(models);
    });
    const report = await doctor(workspace, [], { env });
    expect(asked).toEqual([
      { method: 'GET', url: '/v1/models', key: `Bearer ${env.HOUSE_KEY}`, team: 'shop' },
    ]);
    expect(report.failures).toEqual([]);
    for (const id of ['model', 'key', 'provider', 'provider.clock'])
      expect(report.of(id), id).toMatchObject({ status: 'ok', remedy: null });
    expect(JSON.stringify(report.checks)).not.toContain(env.HOUSE_KEY);
  });

  it('of Anthropic is asked for in its own way', async () => {
    const asked: unknown[] = [];
    const house = await providedBy(({ url, headers }, response) => {
      asked.push({ url, key: headers['x-api-key'], bearer: headers.authorization });
      response.end(models);
    });
    const config = await readFile(house.path('detent.config.json'), 'utf8');
    await house.write('detent.config.json', config.replaceAll('house', 'anthropic'));
    const report = await doctor(house, [], { env });
    expect(asked).toEqual([{ url: '/v1/models?limit=1000', key: env.HOUSE_KEY, bearer: undefined }]);
    expect(report.of('provider')).toMatchObject({ status: 'ok' });
  });

  it.each([401, 403])('whose key is refused with %d is a failure', async (status) => {
    const workspace = await providedBy((_, response) => response.writeHead(status).end('{}'));
    const report = await doctor(workspace, [], { env });
    expect(report).toMatchObject({ code: 1, ok: false });
    expect(report.failures).toMatchObject([{ id: 'provider', remedy: expect.stringContaining('HOUSE_KEY') }]);
  });

  it.concurrent('whose provider hangs is a failure after 5 seconds', async () => {
    const workspace = await providedBy(() => {});
    const report = await doctor(workspace, [], { env });
    expect(report.failures).toMatchObject([
      { id: 'provider', detail: expect.stringMatching(/127\.0\.0\.1:\d+/) },
    ]);
    expect(report.code).toBe(1);
  });

  it.concurrent('whose provider hangs in the middle of its answer is a failure', async () => {
    const workspace = await providedBy((_, response) => void response.write('{"data":['));
    const report = await doctor(workspace, [], { env });
    expect(report.failures).toMatchObject([{ id: 'provider' }]);
  });

  it('whose provider refuses the connection is a failure that names host and error', async () => {
    const port = await freePort();
    const report = await doctor(await at(`http://127.0.0.1:${port}/v1`), [], { env });
    expect(report.failures).toMatchObject([
      { id: 'provider', detail: expect.stringMatching(new RegExp(`127\\.0\\.0\\.1:${port}.*refused`)) },
    ]);
    const offline = await doctor(await at(`http://127.0.0.1:${port}/v1`), ['--offline'], { env });
    expect(offline).toMatchObject({ code: 0, ok: true });
    expect(offline.of('provider')).toBeUndefined();
    expect(offline.of('key')).toMatchObject({ status: 'ok' });
  });

  it.each([
    ['does not list it', 200, '{"data":[{"id":"small"}]}', /small/],
    ['has no list', 404, 'not found', /base URL/],
    ['has trouble', 503, 'busy', /later/],
    ['is a web page', 200, '<html>welcome</html>', /base URL/],
  ])('whose provider %s is a warning', async (_, status, body, remedy) => {
    const workspace = await providedBy((_, response) => response.writeHead(status).end(body));
    const report = await doctor(workspace, [], { env });
    expect(report.code).toBe(0);
    expect(report.of('provider')).toMatchObject({ status: 'warn', remedy: expect.stringMatching(remedy) });
  });

  it('whose provider has another time is a warning', async () => {
    const workspace = await providedBy((_, response) => {
      response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString()).end(models);
    });
    const report = await doctor(workspace, [], { env });
    expect(report.of('provider.clock')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('60 minutes'),
    });
  });

  it('without its key ends with 3, as a run would', async () => {
    const workspace = await at('http://127.0.0.1:9/v1');
    const { detail } = await expectFailure(workspace, 'key', 3, /variable/);
    expect(detail).toContain('HOUSE_KEY');
    expect((await workspace.detent(question)).code).toBe(3);
  });

  it.each(['"sk-house"', ' sk-house', 'sk-house\n'])('whose key is %j gets a remedy', async (key) => {
    const workspace = await at('http://127.0.0.1:9/v1');
    const report = await doctor(workspace, [], { env: { HOUSE_KEY: key } });
    expect(report.failures).toMatchObject([{ id: 'key', remedy: expect.stringContaining('HOUSE_KEY') }]);
    expect(JSON.stringify(report.checks)).not.toContain('sk-house');
  });

  it('that does not exist is a failure', async () => {
    const workspace = await bareWorkspace();
    const report = await doctor(workspace, [], { env: { DETENT_MODEL: 'nobody/large' } });
    expect(report.failures).toMatchObject([{ id: 'model', detail: expect.stringContaining('nobody') }]);
  });

  it('without the price that a limit in money needs is a failure', async () => {
    const workspace = await at('http://127.0.0.1:9/v1');
    const report = await doctor(workspace, [], { env: { ...env, DETENT_LIMITS_MAX_COST_USD: '1' } });
    expect(report.failures).toMatchObject([{ id: 'model', remedy: expect.stringContaining('price') }]);
  });

  it('of the program’s own is not asked', async () => {
    const workspace = await bareWorkspace({
      'detent.config.js': `export default { model: 'mine/echo', models: { mine: { generate() {} } } };`,
    });
    expect((await doctor(workspace)).of('model')).toMatchObject({ status: 'ok' });
  });
});

describeWith(process.getuid?.() === 0, 'only root can become somebody who may not write')(
  'a folder that may only be read',
  () => {
    it('is a failure of workspace and database', async () => {
      const workspace = await used();
      await chmod(workspace.folder, 0o755);
      const report = await doctor(workspace, [], { uid: 65_534 });
      expect(report).toMatchObject({ code: 1, ok: false });
      expect(report.failures.map(({ id }) => id)).toEqual(
        expect.arrayContaining(['workspace', 'database.writable']),
      );
      for (const { remedy } of report.failures) expect(remedy).toMatch(/writ|permission/);
    });

    it('is a failure of temporary files', async () => {
      const workspace = await bareWorkspace();
      await chmod(workspace.folder, 0o755);
      await mkdir(workspace.path('tmp'), { mode: 0o755 });
      const env = { TMPDIR: workspace.path('tmp') };
      const report = await doctor(workspace, [], { uid: 65_534, env });
      expect(report.of('temp')).toMatchObject({ status: 'fail', remedy: expect.stringContaining('TMPDIR') });
    });
  },
);

describeWith(hasTerminals, 'script of util-linux makes the terminals')('doctor on a terminal', () => {
  it('colours the status, unless colours are not wanted', async () => {
    const workspace = await bareWorkspace();
    const colourful = await workspace.onTerminal(['doctor']).ended;
    expect(colourful.stdout).toContain('\u001b[32mok');
    expect(colourful.stdout).toContain('Detent can ask questions here');
    const plain = await workspace.onTerminal(['doctor'], { env: { NO_COLOR: '1' } }).ended;
    expect(plain.stdout).not.toContain('\u001b[32m');
  });
});

describe('a check', () => {
  it.each([
    ['24.0.0', 'ok'],
    ['26.1.0', 'ok'],
    ['22.19.0', 'fail'],
    ['9.0.0', 'fail'],
  ])('of Node %s is %s', (version, status) => {
    expect(checkNode(version).status).toBe(status);
  });

  it.each([
    [2 ** 40, 'ok'],
    [100 * 2 ** 20, 'warn'],
    [2 ** 20, 'fail'],
  ])('of %d free bytes is %s', (free, status) => {
    expect(judgeSpace(free, '/data').status).toBe(status);
  });

  it('of a temporary folder that is a file fails', () => {
    expect(checkTemporaryFolder(new URL(import.meta.url).pathname).status).toBe('fail');
  });

  it.each<[Record<string, CheckStatus>, number]>([
    [{ node: 'ok', model: 'warn' }, 0],
    [{ config: 'fail', node: 'ok' }, 3],
    [{ key: 'fail' }, 3],
    [{ 'database.integrity': 'fail', 'database.size': 'fail' }, 6],
    [{ config: 'fail', 'database.integrity': 'fail' }, 1],
    [{ provider: 'fail' }, 1],
    [{ workspace: 'fail', 'database.writable': 'fail' }, 1],
  ])('%j makes exit code %d', (statuses, code) => {
    const make = { ok, warn, fail };
    const checks = Object.entries(statuses).map(([id, status]) => make[status]([id, id], 'found', 'do this'));
    expect(exitCodeOfChecks(checks)).toBe(code);
  });

  it('is one line, whatever was found, and its remedy another', () => {
    const text = describeChecks([
      fail(['a', 'Long title'], 'first\nsecond', 'do\n this'),
      ok(['b', 'B'], 'fine'),
    ]);
    expect(plainText(text).split('\n')).toEqual([
      'fail  Long title  first second',
      '                  → do this',
      'ok    B           fine',
      '',
      '1 of 2 checks failed (Long title)',
    ]);
  });
});

describe('the manual', () => {
  const manual = readFileSync(new URL('../../../../docs/troubleshooting.md', import.meta.url), 'utf8');

  it('knows every check', async () => {
    const workspace = await used();
    await workspace.write(
      'detent.config.json',
      JSON.stringify({
        model: 'house/large',
        models: { house: { baseUrl: 'http://127.0.0.1:9/v1' } },
        database: { maxPages: 1_000 },
      }),
    );
    const { checks } = await doctor(workspace);
    expect(checks.length).toBeGreaterThan(20);
    for (const { id } of checks) expect(manual).toContain(`| \`${id}\` |`);
  });

  it('names flags and commands that there are', async () => {
    const workspace = await bareWorkspace();
    const { stdout } = await workspace.detent(['--help', '--all']);
    const commands = [...manual.matchAll(/`detent (\w+)(?: (\w+))?/g)].map(([, first = '']) => first);
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
  });
});
