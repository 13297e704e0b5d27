import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, it } from 'vitest';
import { importPastDoors } from '../../scripts/build/doors.ts';
import { statements } from '../../scripts/build/statements.ts';
import { defineTool, type Tool } from '../../src/protocol/tool.ts';
import type { RunView } from '../../src/protocol/views.ts';
import type { SqlDriver } from '../../src/store/sql/driver.ts';
import { temporaryFile } from '../store/support.ts';
import { openNodeSqlite } from '../support/node-sqlite.ts';
import type { openPhone, Phone } from './phone.ts';

const root = resolve(import.meta.dirname, '../..');

/** The bundle of a module for a host without Node, the modules of Node that it asks for, and the packages in it. */
async function bundled(entry: string) {
  const asked = new Set<string>();
  const build = await rolldown({
    cwd: root,
    input: entry,
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], conditionNames: ['module', 'import', 'default'] },
    external: (id) => isBuiltin(id),
    plugins: [statements, importPastDoors([])],
    checks: { ineffectiveDynamicImport: false, emptyImportMeta: false, pluginTimings: false },
  });
  const { output } = await build.generate({
    format: 'iife',
    name: 'phone',
    minify: true,
    comments: false,
    codeSplitting: false,
    globals: (id) => `node[${JSON.stringify(id)}]`,
  });
  await build.close();
  const [{ code, imports, dynamicImports, modules }] = output;
  for (const id of [...imports, ...dynamicImports]) if (isBuiltin(id)) asked.add(id);
  const packages = Object.entries(modules)
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([id]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
  return { code, asked: [...asked], packages: [...new Set(packages)].filter((name) => name !== undefined) };
}

let bundle: Awaited<ReturnType<typeof bundled>>;

/** The program, in a context that has no `process`, no `require` and no `Buffer`. */
function inBareContext(): typeof openPhone {
  const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = globalThis;
  const context = createContext({
    ...{ setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate },
    ...{ AbortController, AbortSignal, TextEncoder, TextDecoder, URL, crypto, performance, queueMicrotask },
    structuredClone,
  });
  runInContext(bundle.code, context);
  return context.phone.openPhone;
}

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

/** An app that is killed at its n-th commit: before it is written, or after it. From then on nothing of it happens. */
function dying(db: SqlDriver, kill: { at: number; isWritten: boolean }) {
  const died = Promise.withResolvers<void>();
  const app = { commits: 0, isDead: false, died: died.promise };
  const alive = <T>(work: () => T): T => {
    if (app.isDead) throw new Error('killed');
    return work();
  };
  const commit = (write: () => { changes: number | bigint }) => {
    if (app.commits++ !== kill.at) return write();
    if (kill.isWritten) write();
    app.isDead = true;
    died.resolve();
    throw new Error('killed');
  };
  const storage: SqlDriver = {
    prepare(sql) {
      const { run, get, all } = alive(() => db.prepare(sql));
      return {
        run: (values) => alive(() => (sql === 'COMMIT' ? commit(() => run(values)) : run(values))),
        get: (values) => alive(() => get(values)),
        all: (values) => alive(() => all(values)),
      };
    },
    exec: (sql) => alive(() => db.exec(sql)),
    close: () => db.close(),
  };
  return { app, storage };
}

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

/** Answers each question of a run until it has ended. */
async function goOn(phone: Phone, runId: string): Promise<RunView> {
  for (;;) {
    const view = await phone.settled(runId);
    const [question] = view.pending;
    if (!question) return view;
    if (question.kind === 'reconcile') await phone.reconcile(runId, question.callId);
    else await phone.approve(runId, question.callId);
  }
}

beforeAll(async () => {
  bundle = await bundled(join(root, 'test/phone/phone.ts'));
});

describe('what a phone runs', () => {
  it('asks for no module of Node, and has no query builder', () => {
    expect(bundle.asked).toEqual([]);
    expect(bundle.packages).not.toContain('kysely');
    expect(bundle.packages).not.toContain('better-sqlite3');
  });

  it('would be found out if it did', async () => {
    expect((await bundled(join(root, 'src/tools/toolbox.ts'))).asked).toContain('node:fs/promises');
  });

  it('is a whole run with a confirmation, in a context without Node', async () => {
    const paid: unknown[] = [];
    const errors: unknown[] = [];
    const phone = inBareContext()({
      storage: openNodeSqlite(':memory:'),
      fetch: answering,
      tools: [paying((cents) => paid.push(cents))],
      report: (error) => errors.push(error),
    });
    await phone.start('Pay 5.', 'run_a');
    expect(await phone.settled('run_a')).toMatchObject({ status: 'waiting' });
    expect(await goOn(phone, 'run_a')).toMatchObject({ status: 'done', text: 'done' });
    expect(paid).toEqual([5]);
    await phone.close();
    expect(errors).toEqual([]);
  });

  it('goes on after the app was killed at any commit, and pays once', async () => {
    const open = inBareContext();
    const outcomes: unknown[] = [];
    for (const isWritten of [false, true])
      for (let at = 0, isOver = false; !isOver; at++) {
        const paid: unknown[] = [];
        const file = await temporaryFile();
        const { app, storage } = dying(openNodeSqlite(file), { at, isWritten });
        const host = { fetch: answering, report() {} };
        const tools = [paying((cents) => app.isDead || paid.push(cents))];
        const first = open({ ...host, storage, tools });
        const ended = first.start('Pay 5.', 'run_a').then(() => goOn(first, 'run_a'));
        await Promise.race([app.died, ended]);
        isOver = !app.isDead;
        ended.catch(() => {});
        await first.close().catch(() => {});
        const errors: unknown[] = [];
        const next = open({
          storage: openNodeSqlite(file),
          fetch: answering,
          tools: [paying((cents) => paid.push(cents))],
          report: (error) => errors.push(error),
        });
        await next.resume();
        await next.start('Pay 5.', 'run_a').catch(() => {});
        const { status } = await goOn(next, 'run_a');
        outcomes.push({ status, paid: paid.length <= 1, errors });
        await next.close();
      }
    expect(outcomes.length).toBeGreaterThan(10);
    for (const outcome of outcomes) expect(outcome).toEqual({ status: 'done', paid: true, errors: [] });
  });
});
