import { expect, it } from 'vitest';
import { createScheduler } from '../../src/schedule/index.ts';
import { mockProvider } from '../support/cli.ts';
import { administer } from '../support/postgres.ts';
import { inSizes } from '../support/size.ts';
import { worker, workspaceOnServer } from './serving.ts';

const secondMs = 1_000;
const rounds = inSizes({ usual: 1, deep: 2, full: 10 });
/** How many slots are to be seen, or to go by. */
const some = 2;

it('three nodes, one killed across slots and all stopped across others: each slot fires once, or is on record as missed', async () => {
  const model = await mockProvider({ turns: [{ answers: [{ text: 'Done.' }] }] });
  const { workspace, url } = await workspaceOnServer(model.baseUrl);
  const ask = async (sql: string) => (await administer(url, sql))[0]?.rows ?? [];
  const number = async (sql: string) => Number((await ask(sql))[0]?.n);
  await workspace.withLibrary(
    async (detent) => {
      const everySecond = { cron: '* * * * * ?', dialect: 'quartz', timeZone: 'UTC' } as const;
      await createScheduler(detent).add({ jobId: 'tick', prompt: 'Go.', ...everySecond });
    },
    { env: { DATABASE_URL: url } },
  );
  const fired = () => number("select count(*) as n from job_fires where status = 'ok'");
  const seesMore = async () => {
    const before = await fired();
    await expect.poll(fired, { interval: 50 }).toBeGreaterThanOrEqual(before + some);
  };
  const now = () => number('select extract(epoch from clock_timestamp()) * 1000 as n');
  for (let round = 0; round < rounds; round++) {
    const nodes = await Promise.all(Array.from({ length: 3 }, () => worker(workspace)));
    await seesMore();
    // The one that has the job, or is performing a slot of it.
    const pid = await number(
      `select pid as n from drivers where ended_at is null and epoch =
         (select max(last_driver) from runs where machine = 'job')`,
    );
    const dying = nodes.find((node) => node.pid === pid) ?? nodes[0];
    dying?.kill('SIGKILL');
    await seesMore();
    for (const node of nodes) node.kill('SIGTERM');
    await Promise.all(nodes.map(({ ended }) => ended));
    const stopped = await now();
    await expect.poll(now, { interval: 100 }).toBeGreaterThan(stopped + some * secondMs);
  }
  const last = await worker(workspace);
  await seesMore();
  last.kill('SIGTERM');
  await last.ended;

  const fires = await ask(
    "select slot::float as slot, status, reason, run_id as run from job_fires where kind = 'slot' order by n",
  );
  const slots = fires.map(({ slot }) => slot);
  const [begin] = slots;
  expect(slots).toEqual(slots.map((_, i) => begin + i * secondMs));
  const ran = fires.filter(({ run }) => run !== null);
  // The end may find one that waits.
  const recorded = fires.filter(({ run, status }) => run === null && status !== 'waiting');
  for (const { status, reason } of recorded)
    expect([status, reason]).toEqual(['skipped', expect.stringMatching(/^(?:missed|coalesced|overlap)$/)]);
  expect(fires.length - ran.length - recorded.length).toBeLessThanOrEqual(1);
  const begun = await ask(
    `select runs.id, count(*)::int as n from run_events join runs on runs.pk = run_pk
       where machine = 'run' and type = 'run.start' group by runs.id`,
  );
  for (const { n } of begun) expect(n).toBe(1);
  const ids = ran.map(({ run }) => run);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(begun.map(({ id }) => id)));
  console.log(
    `${rounds} rounds of three nodes: ${slots.length} slots, ${ran.length} fired, the others ${JSON.stringify(
      Object.fromEntries(
        Map.groupBy(fires, ({ reason }) => reason)
          .entries()
          .map(([reason, of]) => [reason, of.length]),
      ),
    )}`,
  );
});
