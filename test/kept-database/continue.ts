import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { createDetent, type Detent, DetentError, type PendingView, type RunView } from '../../src/index.ts';
import { createScheduler, type Scheduler } from '../../src/schedule/index.ts';
import type { KeptList } from './kept-list.ts';
import { databaseIn } from './life.ts';
import { hasCommands, KeptClock, keptOptions } from './program.ts';

/** What became of a run: how it ended, and what it said. */
export interface End {
  status: string;
  outcome: string | null;
  said: unknown;
}

/** What a run asked a person, or its caller, when its process died. */
export type Asked = Pick<PendingView, 'kind' | 'name' | 'arguments' | 'why' | 'question' | 'asIs'>;

/** What became of a job: where it rests, and how its slots and their deliveries ended. */
export interface JobEnd {
  state: string;
  fires: Record<string, number>;
  deliveries: string[];
}

export interface Continued {
  detent: Detent;
  scheduler: Scheduler;
  /** A run whose answer is in the cache. */
  again: RunView;
  asked: Record<string, Asked[]>;
  runs: Record<string, End>;
  jobs: Record<string, JobEnd>;
}

const minute = 60_000;
const hour = 60 * minute;

/** Puts a kept database into a workspace: the paths in its rows are of the place where it was made. */
export function unpack(database: Buffer, workspace: string, madeIn: string): void {
  mkdirSync(`${workspace}/.detent`);
  mkdirSync(`${workspace}/other`);
  writeFileSync(databaseIn(workspace), database, { mode: 0o600 });
  writeFileSync(`${workspace}/notes.txt`, 'kept');
  const db = new Sqlite(databaseIn(workspace));
  db.prepare('update tenants set workspace = ? where workspace is not null').run(`${workspace}/other`);
  db.prepare('update tainted_files set path = replace(path, ?, ?)').run(madeIn, workspace);
  db.close();
}

/** Opens a kept database with the program that made it, and continues each of its runs and jobs to its end. */
export async function continueKept(workspace: string, { endsAt, runs }: KeptList): Promise<Continued> {
  const clock = new KeptClock(endsAt + minute);
  const detent = createDetent(keptOptions(workspace, false, clock));
  // Before there is anything to remember, so that its prompt is that of the run whose answer was cached.
  const again = await detent.run('say the same', { tools: [] }).result;
  const asked = await askedBy(detent, runs);
  const scheduler = createScheduler(detent, { webhooks: { timeoutMs: 2_000 } });
  await scheduler.start();
  for (const { id: tenantId } of await detent.tenants.list()) await detent.runs.resume(undefined, tenantId);
  const continuing = new Continuing(workspace, detent, clock, runs);
  await continuing.finish();
  return {
    detent,
    scheduler,
    again,
    asked,
    runs: await continuing.ends(),
    jobs: await finishJobs(scheduler, clock),
  };
}

async function askedBy(detent: Detent, runs: KeptList['runs']): Promise<Record<string, Asked[]>> {
  const all: Record<string, Asked[]> = {};
  for (const { id, tenant, machine } of runs) {
    if (machine === 'job') continue;
    const { pending } = await detent.runs.show(id, tenant);
    all[id] = pending.map(({ kind, name, arguments: given, why, question, asIs }) => ({
      kind,
      name,
      arguments: given,
      why,
      ...(question && { question }),
      ...(asIs && { asIs }),
    }));
  }
  return all;
}

class Continuing {
  readonly #workspace: string;
  readonly #detent: Detent;
  readonly #clock: KeptClock;
  readonly #runs: KeptList['runs'];
  readonly #open: Set<KeptList['runs'][number]>;

  constructor(workspace: string, detent: Detent, clock: KeptClock, runs: KeptList['runs']) {
    this.#workspace = workspace;
    this.#detent = detent;
    this.#clock = clock;
    this.#runs = runs.filter(({ machine }) => machine !== 'job');
    this.#open = new Set(this.#runs);
  }

  /**
   * Does what people and other systems would do. What only waits for the clock gets its time when all else has ended: less than a
   * day, for which keys and uploads count. A run that has not ended by then is left: its case fails.
   */
  async finish(): Promise<void> {
    for (const ms of [0, 2 * minute, 5 * hour, 11 * hour]) {
      this.#clock.jump(ms);
      // The last look is patient: a busy machine is no failure.
      const looks = ms === 11 * hour ? 100 : 15;
      for (let calm = 0; calm < looks; calm++) {
        const before = await this.#marks();
        if (before === '') return;
        // What other processes have asked comes first.
        if (!hasCommands(this.#workspace)) await this.#decide();
        await pause(20);
        if ((await this.#marks()) !== before) calm = 0;
      }
    }
  }

  async ends(): Promise<Record<string, End>> {
    const ends: Record<string, End> = {};
    for (const { id, tenant } of this.#runs) {
      const view = await this.#detent.runs.show(id, tenant);
      const { status, outcome, error } = view;
      const said = 'workflow' in view ? view.output : view.text;
      ends[id] = { status, outcome, said: said || (error?.code ?? null) };
    }
    return ends;
  }

  /** Those that have not ended, and how far they are. */
  async #marks(): Promise<string> {
    const marks: string[] = [];
    for (const run of this.#open) {
      const { id, tenant } = run;
      const { status, states, pending } = await this.#detent.runs.show(id, tenant);
      if (['done', 'failed', 'cancelled'].includes(status)) this.#open.delete(run);
      else marks.push(`${id} ${status} ${states.join()} ${pending.length}`);
    }
    return marks.join('\n');
  }

  async #decide(): Promise<void> {
    const { runs, sessions, workflows } = this.#detent;
    for (const { id, tenant } of this.#open) {
      const { status, sessionId, pending, states } = await runs.show(id, tenant);
      if (status === 'unstarted') await runs.resume({ runId: id }, tenant);
      if (states.includes('listening')) await workflows.send(id, { type: 'go', with: 'the event' });
      if (states.includes('taken')) await sessions.giveBack(sessionId, { by: 'boss' });
      if (states.includes('paused')) await workflows.send(id, { type: 'resume' });
      for (const asked of pending) await late(this.#say(asked.runId ?? id, tenant, asked));
    }
  }

  async #say(id: string, tenant: number, asked: PendingView): Promise<unknown> {
    const { runs } = this.#detent;
    const { callId, kind, argumentsHash: hash, question } = asked;
    if (kind === 'reconcile') return runs.reconcile(id, callId, { verdict: 'retry' }, tenant);
    if (kind === 'client')
      return runs.confirm(
        id,
        callId,
        { verdict: 'result', result: 'seen by the client', installation: 'phone', hash },
        tenant,
      );
    if (kind === 'confirm') return runs.confirm(id, callId, { verdict: 'approve', hash }, tenant);
    const answer = question?.fields ? { team: 'engines', size: 3 } : (question?.options?.[0] ?? 'yes');
    return runs.confirm(id, callId, { verdict: 'answer', answer, hash }, tenant);
  }
}

/** The run may have gone on by itself. */
async function late(said: Promise<unknown>): Promise<void> {
  await said.catch((error: unknown) => {
    if (!DetentError.is(error) || !['NOT_WAITING', 'NOT_FOUND', 'RUN_ENDED'].includes(error.code))
      throw error;
  });
}

/** Has each job end what it was at. */
async function finishJobs(scheduler: Scheduler, clock: KeptClock): Promise<Record<string, JobEnd>> {
  const ends: Record<string, JobEnd> = {};
  for (const { jobId } of await scheduler.list()) {
    for (let i = 0; i < 200; i++) {
      const { state } = await scheduler.get(jobId);
      const fires = await scheduler.history(jobId, { limit: 200 });
      const deliveries = fires.flatMap((fire) => fire.deliveries);
      const end = {
        state,
        fires: counted(fires.map(({ status, reason }) => reason ?? status)),
        deliveries: deliveries.map(({ status }) => status),
      };
      ends[jobId] = end;
      if (!end.fires.queued && !end.fires.running && !end.deliveries.includes('pending')) break;
      if (i % 20 === 19) clock.jump(10 * minute);
      await pause(10);
    }
  }
  return ends;
}

/** How often each word is there. */
export function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
