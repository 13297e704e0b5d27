import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';
import { createScheduler } from '../../src/schedule/index.ts';
import type { Store } from '../../src/store/store.ts';
import { type FakeClock, fakeClock, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { withModel } from '../support/detent.ts';

export const [minute, hour] = [60_000, 3_600_000];

/** A model that says the same each time. */
export function parrot(line: ScriptLine = { text: 'Done.' }): ChatModel {
  return { generate: (request, options) => scriptedModel([line]).generate(request, options) };
}

interface Scheduled {
  clock?: FakeClock;
  model?: ChatModel;
  /** A workspace for a database, which else is in memory. */
  workspace?: string;
  store?: Store;
}

/** A Detent on a clock of the test, and a scheduler that does not run yet. */
export function scheduled({ clock = fakeClock(), model = parrot(), workspace, store }: Scheduled = {}) {
  const file =
    workspace === undefined ? {} : { workspace, store: undefined as never, database: { file: 'jobs.db' } };
  const detent = withModel(model, { clock, ...file, ...(store && { store }) });
  const scheduler = createScheduler(detent, { timeZone: 'UTC', print: () => {} });
  onTestFinished(() => scheduler.close());
  return { clock, detent, scheduler };
}

/** Resolves when no job has anything to do now. */
export async function atRest({
  clock,
  scheduler,
}: Pick<ReturnType<typeof scheduled>, 'clock' | 'scheduler'>) {
  for (;;) {
    const jobs = await scheduler.list();
    if (jobs.every(({ state, current, queued }) => state === 'scheduled' && !current && queued === 0)) return;
    await clock.advance(0);
  }
}

/**
 * Advances the clock from slot to slot, and lets each run end: on a busy machine the next slot would come, and the time of a run
 * be over, while it is at work.
 */
export async function advanceBySlots(
  { clock, scheduler }: Pick<ReturnType<typeof scheduled>, 'clock' | 'scheduler'>,
  ms: number,
) {
  const until = clock.now() + ms;
  for (;;) {
    await atRest({ clock, scheduler });
    const next = Math.min(...(await scheduler.list()).flatMap((job) => job.next.slice(0, 1)));
    if (next > until) break;
    await clock.advance(Math.max(0, next - clock.now()));
  }
  await clock.advance(until - clock.now());
  await atRest({ clock, scheduler });
}

/** How many rows each table of a database has. */
export function rowCounts(workspace: string): Record<string, number> {
  const db = new DatabaseSync(join(workspace, 'jobs.db'), { readOnly: true });
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table'").all() as {
      name: string;
    }[];
    const count = (name: string) =>
      Number((db.prepare(`select count(*) as n from "${name}"`).get() as { n: number }).n);
    return Object.fromEntries(tables.map(({ name }) => [name, count(name)]));
  } finally {
    db.close();
  }
}
