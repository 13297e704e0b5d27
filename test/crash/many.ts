import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrateTickets } from '../../src/cluster/server-drivers.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { compileCache } from '../support/compile-cache.ts';
import { administer } from '../support/postgres.ts';
import { programFile } from '../support/program.ts';
import { withoutBoss } from '../support/without-boss.ts';
import { copyToFile, openRows, type Rows } from './harness/rows.ts';
import { isOfTickets, type ManyEntry, type ManyOrder, manyOptions } from './many-agent.ts';
import { copyOwnership, type LifeEnd, noteOwnership, noteOwnershipThere } from './ownership-log.ts';

export interface ManySizes {
  processes: number;
  /** So many of them drive no runs. */
  gateways?: number;
  sessions: number;
  runs: number;
  /** Milliseconds between two disturbances, on average; 0 for none. */
  disturbEveryMs: number;
  /** One of so many stops is longer than the lease of a process. Default: none. */
  longStopEvery?: number;
  isSilent?: boolean;
  /** A database of a server, where the runs are. */
  url?: string;
  /** Tickets of pg-boss tell of runs: its tables are emptied and its jobs doubled now and then; or it is not installed. */
  tickets?: 'spoilt' | 'absent';
  /** Kills the server and starts it again, beside the other disturbances. */
  restart?: () => Promise<void>;
  /** Milliseconds between two restarts, on average. */
  restartEveryMs?: number;
}

export interface Happening {
  runsStarted: number;
  stops: number;
  /** Those that were longer than a lease: who was stopped, and from when to when. */
  longStops: (LifeEnd & { life: number; until: number })[];
  restarts: number;
  /** How often the tables of pg-boss were emptied, or its jobs doubled. */
  spoils: number;
  /** When which life was killed. */
  deaths: Map<number, number>;
  /** All processes that ended: those that were killed, and this one's driver. */
  ends: LifeEnd[];
  ms: number;
}

/** The life of the process that carries everything on to its end. */
export const lastLife = 0;

/**
 * Runs several processes on one database until so many runs are acknowledged, kills and stops some of them, and ends with
 * the death of all. Then this process resumes what is left and decides what people are asked.
 */
export async function runMany(workspace: string, sizes: ManySizes): Promise<Happening> {
  const { url, tickets } = sizes;
  const place = {
    workspace,
    ...(url !== undefined && { url }),
    ...(tickets && { dispatcher: 'pg-boss' as const }),
  };
  await prepare(place);
  if (url !== undefined && tickets === 'spoilt') await makeTickets(url);
  const happening: Happening = {
    runsStarted: 0,
    stops: 0,
    longStops: [],
    restarts: 0,
    spoils: 0,
    deaths: new Map(),
    ends: [],
    ms: 0,
  };
  const began = performance.now();
  const living = new Map<number, Child>();
  let lives = 0;
  const add = async (isGateway: boolean) => {
    const life = ++lives;
    const order = { ...place, life, isGateway, ...(sizes.isSilent && { isSilent: true }) };
    living.set(life, await startChild(order, tickets === 'absent' ? [withoutBoss] : []));
  };
  try {
    await Promise.all(Array.from({ length: sizes.processes }, (_, n) => add(n < (sizes.gateways ?? 0))));
    const starting = startRuns(place, sizes, living, happening);
    await Promise.all([
      disturb(sizes, living, happening, add, starting),
      restartOn(sizes, happening, starting),
    ]);
    if (sizes.disturbEveryMs === 0) await Promise.all([...living.values()].map((child) => child.finish()));
  } finally {
    for (const [life, child] of living) {
      if (child.isAlive()) noteDeath(happening, life, child);
      await child.kill();
    }
  }
  await finish(place, happening);
  if (url !== undefined) {
    await copyToFile(url, workspace);
    await copyOwnership(url, workspace);
  }
  happening.ms = performance.now() - began;
  return happening;
}

type Place = Pick<ManyOrder, 'workspace' | 'url' | 'dispatcher'>;

/** Makes the database, and has it note who had which run. */
async function prepare(place: Place): Promise<void> {
  const { workspace, url } = place;
  mkdirSync(join(workspace, '.detent'), { recursive: true, mode: 0o700 });
  const detent = createDetent(manyOptions(place, () => {}));
  await detent.runs.list();
  await detent.close();
  if (url === undefined) noteOwnership(workspace);
  else await noteOwnershipThere(url);
}

function noteDeath(happening: Happening, life: number, { pid }: Child): void {
  const at = Date.now();
  happening.deaths.set(life, at);
  happening.ends.push({ pid, at });
}

interface Child {
  pid: number;
  /** How long it took to start. */
  startMs: number;
  isGateway: boolean;
  say(line: string): void;
  isAlive(): boolean;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
  /** Ends its input, and waits until it ends. */
  finish(): Promise<void>;
}

async function makeTickets(url: string): Promise<void> {
  const store = await openPostgres({ url, connections: 1 });
  await migrateTickets(store);
  await store.close();
}

/** In turns: empties every table of pg-boss; makes what it lacks, and writes the ticket of each run twice more. */
async function spoilTickets(url: string, n: number): Promise<void> {
  if (n % 2 === 0)
    await administer(
      url,
      `do $$ declare name text; begin
        for name in select tablename from pg_tables where schemaname = 'detent_tickets' loop
          execute format('truncate detent_tickets.%I cascade', name);
        end loop;
      end $$`,
    );
  else {
    await makeTickets(url);
    await administer(
      url,
      `insert into detent_tickets.job (name, data)
        select 'wanted', jsonb_build_object('run', id) from runs, generate_series(1, 2) where ended = 0`,
    );
  }
}

async function startChild(order: ManyOrder, flags: readonly string[]): Promise<Child> {
  const began = performance.now();
  const child: ChildProcess = spawn(
    process.execPath,
    [...flags, programFile('test/crash/many-main'), JSON.stringify(order)],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...compileCache } },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // Its input may break while it dies.
  child.stdin?.on('error', () => {});
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  await Promise.race([new Promise((resolve) => child.stdout?.once('data', resolve)), ended]);
  return {
    pid: child.pid ?? 0,
    startMs: performance.now() - began,
    isGateway: order.isGateway ?? false,
    isAlive,
    say: (line) => void (isAlive() && child.stdin?.write(`${line}\n`)),
    signal: (signal) => void (isAlive() && child.kill(signal)),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async finish() {
      child.stdin?.end();
      await ended;
    },
  };
}

const plans = ['', 'l', 'lp', 'pn', 's', 'lsp', 'lnpl'];

/** Has the processes start runs until so many are acknowledged. */
async function startRuns(
  place: Place,
  { sessions, runs, processes }: ManySizes,
  living: ReadonlyMap<number, Child>,
  happening: Happening,
): Promise<void> {
  const kept: { rows: Rows | null } = { rows: null };
  const count = async (where: string) => {
    try {
      kept.rows ??= openRows(place);
      const [found] = await kept.rows.all(`SELECT count(*) AS n FROM runs WHERE ${where}`);
      return Number(found?.n);
    } catch {
      // The server was killed since.
      await kept.rows?.close().catch(() => {});
      kept.rows = null;
      await pause(10);
      return Number.POSITIVE_INFINITY;
    }
  };
  const counted = async () => {
    for (;;) {
      const n = await count('1 = 1');
      if (n < Number.POSITIVE_INFINITY) return n;
    }
  };
  try {
    for (let n = 1; (await counted()) < runs; n++) {
      const child = [...living.values()][n % living.size];
      child?.say(`s${n % sessions} run-${n}. ${plans[n % plans.length]}`);
      // A run is counted a moment after it is asked for.
      do await pause(40);
      while ((await count('ended = 0')) > processes * 12);
    }
    while ((await count('ended = 0')) > 0) await pause(20);
  } finally {
    happening.runsStarted = await counted();
    await kept.rows?.close();
  }
}

/** Kills and stops processes at random while `work` goes on. */
async function disturb(
  { disturbEveryMs, longStopEvery = 0, tickets, url }: ManySizes,
  living: Map<number, Child>,
  happening: Happening,
  add: (isGateway: boolean) => Promise<void>,
  work: Promise<void>,
): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const standing = new Set<number>();
  for (let n = 0; disturbEveryMs > 0 && !isDone; n++) {
    // On a busy machine processes that have just started get nothing done within a fixed time, and the test would never end.
    const slowest = Math.max(...[...living.values()].map(({ startMs }) => startMs));
    await Promise.race([done, pause(Math.max(disturbEveryMs, slowest / 4) * (0.5 + Math.random()))]);
    const lives = [...living].filter(([life]) => !standing.has(life));
    const [life, child] = lives[Math.floor(Math.random() * lives.length)] ?? [0];
    if (!child || isDone) continue;
    if (url !== undefined && tickets === 'spoilt' && n % 3 === 0) {
      // What it waits for may have been killed by now, and the test goes on without.
      await spoilTickets(url, happening.spoils++).catch(() => {});
    } else if (n % 2 === 0) {
      if (longStopEvery === 0 || happening.stops % longStopEvery > 0) await stopForAWhile(child, happening);
      else if (standing.size === 0) {
        standing.add(life);
        void stopForLong(life, child, { happening, done }).finally(() => standing.delete(life));
      }
    } else {
      living.delete(life);
      noteDeath(happening, life, child);
      await child.kill();
      await add(child.isGateway);
    }
  }
  await done;
}

async function stopForAWhile(child: Child, happening: Happening): Promise<void> {
  happening.stops++;
  try {
    child.signal('SIGSTOP');
    await pause(50 + Math.random() * 1_200);
  } finally {
    child.signal('SIGCONT');
  }
}

/** How long a process on a server may be silent. */
const leaseMs = 10_000;

/** Others take it for dead meanwhile. */
async function stopForLong(
  life: number,
  child: Child,
  { happening, done }: { happening: Happening; done: Promise<void> },
): Promise<void> {
  happening.stops++;
  const stop = { life, pid: child.pid, at: Date.now(), until: Number.POSITIVE_INFINITY };
  happening.longStops.push(stop);
  try {
    child.signal('SIGSTOP');
    await Promise.race([done, pause(leaseMs + 2_000 + Math.random() * 4_000)]);
  } finally {
    stop.until = Date.now();
    child.signal('SIGCONT');
  }
}

/** Kills the server and starts it again and again while `work` goes on. */
async function restartOn(
  { restart, restartEveryMs = 0 }: ManySizes,
  happening: Happening,
  work: Promise<void>,
): Promise<void> {
  if (!restart) return work;
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  for (;;) {
    // From two thirds of it to four thirds.
    await Promise.race([done, pause(restartEveryMs * (2 / 3 + (Math.random() * 2) / 3))]);
    if (isDone) return;
    happening.restarts++;
    await restart();
  }
}

/** Carries all runs on to their ends. */
async function finish(place: Place, happening: Happening): Promise<void> {
  const file = join(place.workspace, 'happened.jsonl');
  const note = (entry: ManyEntry) =>
    appendFileSync(file, `${JSON.stringify({ ...entry, life: lastLife, at: Date.now() })}\n`);
  const detent = createDetent({
    ...manyOptions(place, note),
    onError: (error, run) => isOfTickets(error) || note({ what: 'error', run, code: String(error) }),
  });
  // All others are dead, so it ends its driver itself: by the clock of the server, which may be some milliseconds behind this one.
  happening.ends.push({ pid: process.pid, at: Date.now() });
  try {
    await detent.runs.resume();
    for (;;) {
      const left = await detent.runs.list({
        status: ['queued', 'running', 'waiting', 'interrupted'],
        limit: 500,
      });
      if (left.length === 0) break;
      for (const { runId } of left.toReversed()) {
        const { pending } = await detent.runs.attach(runId).result;
        for (const { callId, kind, argumentsHash: hash } of pending)
          if (kind === 'reconcile') await detent.runs.reconcile(runId, callId, { verdict: 'skip' });
          else await detent.runs.confirm(runId, callId, { verdict: 'approve', hash });
      }
    }
    const diverged = (await detent.runs.replayAll()).filter((one) => one.diverged);
    if (diverged.length > 0) throw new Error(`logs diverge: ${JSON.stringify(diverged)}`);
  } finally {
    await detent.close();
  }
}
