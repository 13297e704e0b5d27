import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleCore, bundleCoreFile } from '../../scripts/build/core.ts';
import { defineTool, type Tool } from '../../src/protocol/tool.ts';
import type { RunView } from '../../src/protocol/views.ts';
import type { SqlDriver } from '../../src/store/driver.ts';
import { temporaryFile } from '../store/support.ts';
import { itDeep } from '../support/deep.ts';
import { openNodeSqlite } from '../support/node-sqlite.ts';
import { openQuickJs, payingApp } from '../support/quickjs.ts';
import { inSizes } from '../support/size.ts';
import { dying, hermesBytes, inBareContext, random } from './apps.ts';
import type * as Detent from './with-openai.ts';

let bundle: Awaited<ReturnType<typeof bundleCoreFile>>;
/** With models over HTTP. */
let whole: typeof bundle;

beforeAll(async () => {
  bundle = await bundleCoreFile('src/core/index');
  whole = await bundleCoreFile('test/core/with-openai');
});

/** Each answer of the model is one piece of an event stream. */
const answering: typeof fetch = async (_, init) => {
  const body = JSON.parse(String(init?.body));
  const isFirst = !body.messages.some(({ role }: { role: string }) => role === 'tool');
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'pay', arguments: '{"cents":5}' } };
  const delta = isFirst ? { tool_calls: [call] } : { content: 'done' };
  const finish = { choices: [{ index: 0, delta: {}, finish_reason: isFirst ? 'tool_calls' : 'stop' }] };
  const chunks = [{ choices: [{ index: 0, delta }] }, finish];
  const text = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
};

const paying = (pay: (cents: unknown) => void): Tool =>
  defineTool({
    name: 'pay',
    description: 'Pays.',
    jsonSchema: { type: 'object', properties: { cents: { type: 'number' } }, required: ['cents'] },
    sideEffect: 'unsafe',
    async run(args: { cents: number }) {
      pay(args.cents);
      return 'paid';
    },
  });

/** An app with a model that it reaches by HTTP. */
function opened(
  detent: typeof Detent,
  app: { storage: SqlDriver; tools: Tool[]; report?: (error: unknown) => void },
) {
  const { storage, tools, report = () => {} } = app;
  const shop = detent.createOpenAIChat({
    baseURL: 'https://model.test/v1',
    apiKey: 'sk-none',
    fetch: answering,
  });
  return detent.createCore({
    host: { storage, random, report },
    models: { shop },
    model: 'shop/m',
    tools: { define: tools },
  });
}

/** Answers each question of a run until it has ended. */
async function goOn(core: Detent.Core, runId: string): Promise<RunView> {
  for (;;) {
    const view = await core.runs.attach(runId).result;
    const [question] = view.pending;
    if (!question) return view;
    if (question.kind === 'reconcile') await core.runs.reconcile(runId, question.callId, { verdict: 'skip' });
    else await core.runs.confirm(runId, question.callId, { verdict: 'approve' });
  }
}

interface Scene {
  name: string;
  /** What an app does, and does again after it was killed. Resolves with how its runs ended. */
  play(core: Detent.Core): Promise<string[]>;
  ends: string[];
}

const order = (core: Detent.Core, number = 1) =>
  core.run('Pay 5.', { sessionId: 'orders', idempotencyKey: `order ${number}` }).started;

const allScenes: readonly Scene[] = [
  {
    name: 'a call that the user approves',
    play: async (core) => [(await goOn(core, await order(core))).status],
    ends: ['done'],
  },
  {
    name: 'a message while a call waits',
    async play(core) {
      const runId = await order(core);
      const { pending } = await core.runs.attach(runId).result;
      if (pending.length > 0) await core.runs.steer(runId, 'Quickly.').catch(() => {});
      return [(await goOn(core, runId)).status];
    },
    ends: ['done'],
  },
  {
    name: 'a cancel while a call waits',
    async play(core) {
      const runId = await order(core);
      await core.runs.attach(runId).result;
      await core.runs.cancel(runId, 'enough');
      return [(await core.runs.attach(runId).result).status];
    },
    ends: ['cancelled'],
  },
  {
    name: 'a run behind another one in its session',
    async play(core) {
      const runs = [await order(core, 1), await order(core, 2)];
      const views: RunView[] = [];
      for (const runId of runs) views.push(await goOn(core, runId));
      return views.map(({ status }) => status);
    },
    ends: ['done', 'done'],
  },
];
/** The others go the same ways through the engine, in another order. */
const scenes = inSizes({ usual: allScenes.slice(0, 1), deep: allScenes, full: allScenes });

/** What a host has to have for models by HTTP. */
const web = { URL, TextDecoder };

describe('the bundle of the core', () => {
  it('asks for no module of Node, and has no query builder', () => {
    expect(bundle.asked).toEqual([]);
    expect(bundle.packages).not.toContain('kysely');
    expect(bundle.packages).not.toContain('better-sqlite3');
  });

  it('would be found out if it did', async () => {
    const { asked } = await bundleCore(['src/tools/toolbox'], { format: 'esm', minify: false });
    expect(asked).toContain('node:fs/promises');
  });

  it('has the statements that it asks, and no others', () => {
    expect(bundle.code).toContain('insertRun');
    expect(bundle.code).not.toContain('insertJob');
    expect(bundle.code).not.toContain('@statements');
  });

  it('has models over HTTP only for those who import them', () => {
    expect(bundle.packages).not.toContain('eventsource-parser');
    expect(whole.packages).toContain('eventsource-parser');
    expect(whole.asked).toEqual([]);
  });

  it('is small', () => {
    expect(Buffer.byteLength(bundle.code)).toBeLessThanOrEqual(350 * 1024);
    expect(gzipSync(bundle.code, { level: 9 }).length).toBeLessThanOrEqual(120 * 1024);
  });

  itDeep('is compiled by Hermes', () => {
    expect(hermesBytes(bundle.code)).toBeLessThanOrEqual(400 * 1024);
  });
});

describe('an app with the core', () => {
  it('performs a run with a tool and a confirmation in QuickJS, over the SQLite of its host', async () => {
    const app = await openQuickJs(openNodeSqlite(':memory:'), [bundle.code, payingApp]);
    expect(await app.ask("payOnce('Pay 5.')")).toEqual({ asked: 'waiting', text: 'done' });
    expect(await app.ask('[paid, failures]')).toEqual([[5], []]);
    await app.ask('core.close()');
    app.close();
  });

  it('streams a model by HTTP, in a context without Node and without what Hermes lacks', async () => {
    const [paid, errors, pieces]: unknown[][] = [[], [], []];
    const core = opened(inBareContext<typeof Detent>(whole.code, web), {
      storage: openNodeSqlite(':memory:'),
      tools: [paying((cents) => paid?.push(cents))],
      report: (error) => errors?.push(error),
    });
    const run = core.run('Pay 5.');
    core.on(run.runId, (signal) => signal.type === 'delta' && pieces?.push(signal.delta));
    expect(await run.result).toMatchObject({ status: 'waiting' });
    expect(await goOn(core, run.runId)).toMatchObject({ status: 'done', text: 'done' });
    expect(paid).toEqual([5]);
    expect(pieces).toContainEqual({ type: 'text', text: 'done' });
    await core.close();
    expect(errors).toEqual([]);
  });

  it('calls hooks, and refuses those that it would not call', async () => {
    const detent = inBareContext<typeof Detent>(whole.code, web);
    const paid: unknown[] = [];
    const asked: string[] = [];
    const shop = detent.createOpenAIChat({
      baseURL: 'https://model.test/v1',
      apiKey: 'sk-none',
      fetch(url, init) {
        asked.push(String(init?.body));
        return answering(url, init);
      },
    });
    const options: Detent.CoreOptions = {
      host: { storage: openNodeSqlite(':memory:'), random },
      models: { shop },
      model: 'shop/m',
      tools: { define: [paying((cents) => paid.push(cents))] },
      hooks: {
        runStart: [() => ({ addContext: 'The shop closes at 18:00.' })],
        beforeTool: [() => ({ veto: 'it is closed' })],
      },
    };
    const core = detent.createCore(options);
    expect(await core.run('Pay 5.', { approve: 'all' }).result).toMatchObject({
      status: 'done',
      text: 'done',
    });
    await core.close();
    expect(paid).toEqual([]);
    expect(asked[0]).toContain('The shop closes at 18:00.');
    expect(asked[1]).toContain('it is closed');
    const late = Object.assign({}, options, { hooks: { runEnd: [() => null] } });
    expect(() => detent.createCore(late)).toThrow('runEnd');
  });

  it.each(scenes)('goes on after the app was killed at any commit, and pays once: $name', async (scene) => {
    const detent = inBareContext<typeof Detent>(whole.code, web);
    const outcomes = { kills: 0, lost: 0, twice: 0, errors: 0 };
    for (const isWritten of [false, true])
      for (let at = 0, isOver = false; !isOver; at++) {
        const paid: unknown[] = [];
        const file = await temporaryFile();
        const { app, storage } = dying(openNodeSqlite(file), { at, isWritten });
        const first = opened(detent, { storage, tools: [paying((cents) => app.isDead || paid.push(cents))] });
        const ended = scene.play(first);
        await Promise.race([app.died, ended]);
        isOver = !app.isDead;
        ended.catch(() => {});
        await first.close().catch(() => {});
        const next = opened(detent, {
          storage: openNodeSqlite(file),
          tools: [paying((cents) => paid.push(cents))],
          report: () => outcomes.errors++,
        });
        await next.runs.resume();
        // The app asks for the same again, under the same keys.
        const ends = await scene.play(next);
        if (app.isDead) outcomes.kills++;
        if (JSON.stringify(ends) !== JSON.stringify(scene.ends)) outcomes.lost++;
        if (paid.length > 1) outcomes.twice++;
        await next.close();
      }
    console.log(`core, killed at each commit: ${scene.name}: ${JSON.stringify(outcomes)}`);
    expect(outcomes.kills).toBeGreaterThanOrEqual(10);
    expect(outcomes).toMatchObject({ lost: 0, twice: 0, errors: 0 });
  });
});
