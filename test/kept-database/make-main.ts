import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import type { EffectHandler, MachineHost } from '../../src/engine/machine/machine-host.ts';
import type { Decorators } from '../../src/runtime/compose.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import type { RunRow } from '../../src/store/rows.ts';
import { continueKept, unpack } from './continue.ts';
import type { KeptList } from './kept-list.ts';
import { databaseIn, Life, type Made } from './life.ts';
import { KeptClock, keptBegins, keptOptions } from './program.ts';
import { type Generation, generations, type LastStep } from './scenes.ts';

/** Later than the slots that a job of the first process misses. */
const threeHours = 3 * 3_600_000;

/** Does the work of one process, says that it is done, and has the parent kill it, or stops in the midst of its last step. */
async function live(workspace: string, generation: Generation): Promise<void> {
  const clock = new KeptClock(keptBegins + (generation === 'first' ? 0 : threeHours));
  const planning = Promise.withResolvers<void>();
  let step: LastStep | null = null;
  const isOver = () => step !== null && hasFound(workspace, step.until);
  const decorators: Decorators = {
    store: (store) => ({
      commit: async (program) => {
        const value = await store.commit(program);
        if (isOver()) process.kill(process.pid, 'SIGSTOP');
        return value;
      },
      query: (name, input) => store.query(name, input),
      version: () => store.version?.() ?? 0,
      close: () => store.close(),
    }),
    jobHost: (host) => withSlowPlans(host, planning.promise),
  };
  const life = new Life(assemble(keptOptions(workspace, true, clock), decorators), workspace);
  step = await generations[generation](life, { begin: planning.resolve });
  process.stdout.write(`${JSON.stringify(life.made)}\n`);
  step?.begin();
}

function hasFound(workspace: string, statement: string): boolean {
  const db = new Sqlite(databaseIn(workspace), { readonly: true });
  const found = db.prepare(statement).get();
  db.close();
  return found !== undefined;
}

/** The slots of the job `due` are never found, and those of `idle` last: so many that it goes on in another run. */
function withSlowPlans(host: MachineHost, begun: Promise<void>): MachineHost {
  const plan = host.effects['effect.plan'] as EffectHandler;
  const perform: EffectHandler['perform'] = async (job) => {
    const { jobId } = job.options as { jobId: string };
    if (jobId === 'due') await pause(3_600_000);
    if (jobId === 'idle') await begun;
    return plan.perform(job);
  };
  return { ...host, effects: { ...host.effects, 'effect.plan': { ...plan, perform } } };
}

/** Starts a process, and waits until all is as it is to be when it dies. */
async function begin(
  workspace: string,
  generation: Generation,
): Promise<{ made: Made; process: ChildProcess }> {
  const child = spawn(process.execPath, [import.meta.filename, '', generation, workspace], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const data of child.stdout) {
    said += data;
    if (said.endsWith('\n')) return { made: JSON.parse(said) as Made, process: child };
  }
  throw new Error(`the ${generation} process ended too soon`);
}

async function stopped({ pid }: ChildProcess): Promise<void> {
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await pause(20);
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

async function make(workspace: string): Promise<Made> {
  for (const folder of [workspace, `${workspace}-other`]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  const first = await begin(workspace, 'first');
  await end(first.process);
  const second = await begin(workspace, 'second');
  await stopped(second.process);
  const third = await begin(workspace, 'third');
  await end(third.process);
  await end(second.process);
  const all = [first, second, third].map(({ made }) => made);
  return {
    labels: Object.assign({}, ...all.map(({ labels }) => labels)) as Made['labels'],
    told: Object.assign({}, ...all.map(({ told }) => told)) as Made['told'],
  };
}

/** The rows of a database that nobody uses any more, in one file. */
function packed(workspace: string): Buffer {
  const file = `${workspace}/packed.db`;
  const db = new Sqlite(databaseIn(workspace));
  db.pragma('wal_checkpoint(truncate)');
  db.prepare('vacuum into ?').run(file);
  db.close();
  return readFileSync(file);
}

function listed(workspace: string, { labels, told }: Made): KeptList {
  const db = new Sqlite(databaseIn(workspace), { readonly: true });
  const runs = db
    .prepare('select r.*, s.key from runs r join sessions s on s.pk = r.session_pk order by r.pk')
    .all() as (RunRow & { tenant_id: number; key: string })[];
  const open = db.prepare(
    `select name || ' ' || status from effects where status not in ('done', 'cancelled') and run_pk = ? order by n`,
  );
  const path = db.prepare('select path from run_events where run_pk = ? order by seq desc').pluck();
  const rootOf = (id: string) => labels[id] ?? labels[id.replace(/(\.c\d+)+$/, '')];
  const jobs = db
    .prepare('select j.id, r.state from jobs j join runs r on r.pk = j.run_pk order by j.id')
    .all() as { id: string; state: string }[];
  const tables = db
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite%'")
    .pluck()
    .all() as string[];
  const list: KeptList = {
    endsAt: Number(db.prepare('select max(updated_at) from runs').pluck().get()),
    madeIn: workspace,
    told,
    runs: runs.map(({ pk, id, tenant_id: tenant, key, machine, state }) => ({
      id,
      tenant,
      label: labels[id] ?? (rootOf(id) ? `below "${rootOf(id)}"` : `in ${key.replaceAll(/[^\w:-]/g, '')}`),
      machine,
      state: String(path.get(pk) ?? JSON.parse(state)),
      open: open.pluck().all(pk) as string[],
    })),
    jobs: Object.fromEntries(jobs.map(({ id, state }) => [id, { state: JSON.parse(state) as string }])),
    tables: Object.fromEntries(
      tables.map((name) => [name, Number(db.prepare(`select count(*) from "${name}"`).pluck().get())]),
    ),
  };
  db.close();
  return list;
}

/** The list with what becomes of all of it, as the code says that made the database. */
async function withEnds(list: KeptList, database: Buffer): Promise<KeptList> {
  const workspace = mkdtempSync(join(tmpdir(), 'detent-kept-'));
  unpack(database, workspace, list.madeIn);
  const { detent, scheduler, asked, runs, jobs } = await continueKept(workspace, list);
  await scheduler.close();
  await detent.close();
  rmSync(workspace, { recursive: true, force: true });
  return {
    ...list,
    runs: list.runs.map((run) => ({
      ...run,
      ...(asked[run.id]?.length && { asks: asked[run.id] }),
      ...(runs[run.id] && { ends: runs[run.id] }),
    })),
    jobs: Object.fromEntries(
      Object.entries(list.jobs).map(([id, job]) => [id, { ...job, ...(jobs[id] && { ends: jobs[id] }) }]),
    ),
  };
}

const [name = '', generation, workspace = '/tmp/detent-kept'] = process.argv.slice(2);
if (generation) await live(workspace, generation as Generation);
else {
  const made = await make(workspace);
  const database = packed(workspace);
  const list = await withEnds(listed(workspace, made), database);
  const folder = join(import.meta.dirname, '../fixtures/kept-database');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.db.br`), brotliCompressSync(database));
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(list, null, 2)}\n`);
}
