import { beforeAll, describe, expect, it } from 'vitest';
import { bundleCoreFile } from '../../scripts/build/core.ts';
import { defineTool } from '../../src/protocol/tool.ts';
import type { RunView } from '../../src/protocol/views.ts';
import type { SqlDriver } from '../../src/store/driver.ts';
import { temporaryFile } from '../store/support.ts';
import { openNodeSqlite } from '../support/node-sqlite.ts';
import { inSizes } from '../support/size.ts';
import { dying, inBareContext, random } from './apps.ts';
import type * as Whole from './with-sub-runs.ts';

let bundle: Awaited<ReturnType<typeof bundleCoreFile>>;

beforeAll(async () => {
  bundle = await bundleCoreFile('test/core/with-sub-runs');
});

interface App {
  storage: SqlDriver;
  pay: (key: string) => void;
  report?: (error: unknown) => void;
  task?: object;
}

/** An app whose agent hands the payment on to another one. */
function opened({ storage, pay, report = () => {}, task = { prompt: 'Pay 5.', agent: 'payer' } }: App) {
  const detent = inBareContext<typeof Whole>(bundle.code);
  const phone: Whole.ChatModel = {
    contextWindow: 32_000,
    async generate({ model, messages, tools }) {
      const answer = detent.unanswered(model, null);
      const last = messages.at(-1);
      if (last?.role === 'tool') return { ...answer, finish: 'stop', text: `it says: ${last.text}` };
      const mayPay = !tools.some(({ name }) => name === 'task');
      const [name, given] = mayPay ? ['pay', {}] : ['task', task];
      const call = { id: 'c', name: String(name), arguments: JSON.stringify(given) };
      return { ...answer, finish: 'toolCalls', toolCalls: [call] };
    },
  };
  return detent.createCore({
    host: { storage, random, report },
    models: { phone },
    model: 'phone/small',
    agents: { payer: { tools: ['pay'] } },
    subRuns: detent.subRuns,
    tools: {
      define: [
        defineTool({
          name: 'pay',
          description: 'Pays.',
          jsonSchema: { type: 'object', properties: {} },
          sideEffect: 'unsafe',
          confirm: true,
          run(_: object, { idempotencyKey }) {
            pay(idempotencyKey);
            return 'paid';
          },
        }),
      ],
    },
  });
}

const start = (core: Whole.Core) => core.run('Buy it.', { idempotencyKey: 'order 1' }).started;

/** Answers each question of a run, and of those below it, until it has ended. */
async function goOn(core: Whole.Core, runId: string): Promise<RunView> {
  for (;;) {
    const view = await core.runs.attach(runId).result;
    if (view.endedAt !== undefined) return view;
    const below = view.steps.flatMap(({ toolCalls }) =>
      toolCalls.flatMap(({ subRun }) => subRun?.runId ?? []),
    );
    for (const id of [runId, ...below])
      for (const { kind, callId } of (await core.runs.show(id)).pending)
        await (kind === 'reconcile'
          ? core.runs.reconcile(id, callId, { verdict: 'skip' })
          : core.runs.confirm(id, callId, { verdict: 'approve' }));
  }
}

describe('a core with sub-runs', () => {
  it('is bundled without zod, and is little larger than the core alone', async () => {
    expect(bundle.asked).toEqual([]);
    expect(bundle.packages).not.toContain('zod');
    expect(Buffer.byteLength(bundle.code)).toBeLessThanOrEqual(360 * 1024);
  });

  it('hands work on to an agent, whose call a person approves, and refuses what does not fit the tool', async () => {
    const paid: string[] = [];
    const errors: unknown[] = [];
    const storage = openNodeSqlite(':memory:');
    const core = opened({ storage, pay: (key) => paid.push(key), report: (error) => errors.push(error) });
    const runId = await start(core);
    const { status: asked, waitsFor } = await core.runs.attach(runId).result;
    expect([asked, waitsFor]).toEqual(['waiting', expect.stringContaining(`${runId}.`)]);
    const { status, text, steps } = await goOn(core, runId);
    expect([status, text]).toEqual(['done', 'it says: it says: paid']);
    expect(steps[0]?.toolCalls[0]?.subRun).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(paid).toHaveLength(1);
    await core.close();

    for (const task of [{ prompt: '' }, { prompt: 'Pay.', agent: 'nobody' }, { prompt: 'Pay.', more: 1 }]) {
      const other = opened({ storage: openNodeSqlite(':memory:'), pay: (key) => paid.push(key), task });
      const { status, steps } = await goOn(other, await start(other));
      expect([status, steps[0]?.toolCalls[0]?.status]).toEqual(['done', 'failed']);
      await other.close();
    }
    expect(paid).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it('goes on after the app was killed at any commit, and pays once', async () => {
    const outcomes = { kills: 0, lost: 0, twice: 0, errors: 0 };
    const every = inSizes({ usual: 3, deep: 2, full: 1 });
    for (const isWritten of [false, true])
      for (let at = every > 1 && !isWritten ? 2 : 0, isOver = false; !isOver; at += every) {
        const paid: unknown[] = [];
        const file = await temporaryFile();
        const { app, storage } = dying(openNodeSqlite(file), { at, isWritten });
        const first = opened({ storage, pay: (key) => app.isDead || paid.push(key) });
        const ended = start(first).then((runId) => goOn(first, runId));
        ended.catch(() => {});
        await Promise.race([app.died, ended]);
        isOver = !app.isDead;
        await first.close().catch(() => {});
        const next = opened({
          storage: openNodeSqlite(file),
          pay: (key) => paid.push(key),
          report: () => outcomes.errors++,
        });
        await next.runs.resume();
        const { status } = await goOn(next, await start(next));
        if (app.isDead) outcomes.kills++;
        if (status !== 'done') outcomes.lost++;
        if (paid.length > 1) outcomes.twice++;
        await next.close();
      }
    console.log(`core with sub-runs, killed at each commit: ${JSON.stringify(outcomes)}`);
    expect(outcomes.kills).toBeGreaterThanOrEqual(8);
    expect(outcomes).toMatchObject({ lost: 0, twice: 0, errors: 0 });
  });
});
