import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import type { Detent } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { noteOwnershipThere } from '../crash/ownership-log.ts';
import { modelOptions, temporaryWorkspace } from '../support/detent.ts';
import { administer, newDatabase } from '../support/postgres.ts';
import { programFile } from '../support/program.ts';
import { inSizes } from '../support/size.ts';
import { ordersOf } from './orders.ts';

const count = inSizes({ usual: 10, deep: 40, full: 500 });

async function worker(url: string, version: string): Promise<ChildProcess> {
  const args = [programFile('test/cluster/children/order-worker'), await temporaryWorkspace(), url, version];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(() => {
    throw new Error('a worker ended before it was ready');
  });
  ended.catch(() => {});
  await Promise.race([once(child.stdout, 'data'), ended]);
  return child;
}

/** Makes runs of a version, and drives none. */
async function maker(url: string, version: string): Promise<Detent> {
  const store = await openPostgres({ url, connections: 3 });
  const options = { store, workflows: ordersOf(version), drivesRuns: false };
  const detent = createDetent(modelOptions(scriptedModel([]), options));
  onTestFinished(async () => {
    await detent.close();
    await store.close();
  });
  return detent;
}

it('two versions of a chart and of the schema side by side: the old workers are replaced in turn, and no run fails', async () => {
  const url = await newDatabase();
  const [older, newer] = [await maker(url, '1'), await maker(url, '2')];
  await older.runs.list();
  await noteOwnershipThere(url);
  const first = await Promise.all([worker(url, '1'), worker(url, '1')]);
  await administer(
    url,
    "insert into detent_migrations (name) values ('9999_more_additive')",
    'alter table runs add column more text',
  );
  const ids: string[] = [];
  const load = async (detent: Detent, n: number) => {
    for (let i = 0; i < n; i++) ids.push(await detent.workflows.start('order').started);
  };
  const stops: { pid: number; at: number }[] = [];
  for (const leaving of first) {
    await worker(url, '2');
    await Promise.all([load(older, count / 2), load(newer, count / 2)]);
    stops.push({ pid: Number(leaving.pid), at: Date.now() });
    leaving.kill('SIGTERM');
    const [[code]] = await Promise.all([
      once(leaving, 'exit'),
      load(older, count / 2),
      load(newer, count / 2),
    ]);
    expect(code).toBe(0);
  }
  for (const id of ids) expect((await newer.runs.attach(id).result).status).toBe('done');
  const [found] = await administer(
    url,
    "select version::int, count(*)::int as n from runs where machine = 'workflow:order' group by version order by version",
  );
  expect(found?.rows).toEqual([
    { version: 1, n: 2 * count },
    { version: 2, n: 2 * count },
  ]);
  for (const { pid, at } of stops) {
    const [moved] = await administer(
      url,
      `select count(*)::int as n, max(again.at - ${at})::int as ms from noted.all_claims as lost join lateral (
         select at from noted.all_claims as claimed where claimed.run_pk = lost.run_pk and claimed.n > lost.n and claimed.now > 0 order by n limit 1
       ) as again on true where lost.was in (select epoch from drivers where pid = ${pid}) and lost.now is null and lost.at >= ${at}`,
    );
    const { n, ms } = moved?.rows[0] ?? {};
    console.log(
      `a worker ended by SIGTERM: ${n} runs that it had are driven elsewhere, the last after ${ms} ms`,
    );
  }
});
