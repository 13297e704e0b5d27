import { getQuickJS } from 'quickjs-emscripten';
import type { SqlDriver, SqlStatement } from '../../src/store/driver.ts';

/** An app in QuickJS, which has nothing but JavaScript itself: timers and SQLite are those of this process. */
interface QuickJsApp {
  /** Evaluates an expression there, and waits for its promise. */
  ask(expression: string): Promise<unknown>;
  /** Bytes that the app has allocated. */
  memoryBytes(): number;
  close(): void;
}

/** In the app: what reaches the host. Values go over as JSON. */
const bridge = `
  const timers = new Map();
  let last = 0;
  globalThis.setTimeout = (work, ms = 0, ...given) => {
    timers.set(++last, () => work(...given));
    hostLater(last, ms);
    return last;
  };
  globalThis.clearTimeout = (id) => void timers.delete(id);
  globalThis.fire = (id) => {
    const work = timers.get(id);
    timers.delete(id);
    work?.();
  };
  globalThis.answer = (id, promise) =>
    promise.then(
      (value) => hostAnswer(id, JSON.stringify({ value })),
      (error) => hostAnswer(id, JSON.stringify({ error: String(error) + error?.stack })),
    );
  const asked = (text) => {
    const { value, error } = JSON.parse(text);
    if (error !== undefined) throw new Error(error);
    return value;
  };
  globalThis.storage = {
    prepare(sql) {
      const id = asked(hostPrepare(sql));
      const by = (how) => (values) => asked(hostQuery(id, how, JSON.stringify(values)));
      return { run: by('run'), get: by('get'), all: by('all') };
    },
    exec: (sql) => asked(hostExec(sql)),
    close: () => asked(hostExec('')),
  };
  globalThis.random = (bytes) => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(Math.random() * 256);
  };`;

/**
 * Starts an app.
 *
 * @param programs evaluated one after the other; they find `storage` and `random` for a host of the core
 */
export async function openQuickJs(storage: SqlDriver, programs: readonly string[]): Promise<QuickJsApp> {
  const runtime = (await getQuickJS()).newRuntime();
  const vm = runtime.newContext();
  const statements: SqlStatement[] = [];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const timers = new Set<NodeJS.Timeout>();
  const work = () => {
    const done = runtime.executePendingJobs();
    if (done.error) throw new Error(JSON.stringify(vm.dump(done.error)));
  };
  const evaluate = (code: string) => vm.unwrapResult(vm.evalCode(code)).dispose();
  const json = (of: () => unknown) => {
    try {
      return vm.newString(JSON.stringify({ value: of() }));
    } catch (error) {
      return vm.newString(JSON.stringify({ error: String(error) }));
    }
  };
  const functions: Readonly<Record<string, (...given: (string | number)[]) => unknown>> = {
    hostPrepare: (sql) => statements.push(storage.prepare(String(sql))) - 1,
    hostQuery: (id, how, values) =>
      statements[Number(id)]?.[how as 'run' | 'get' | 'all'](JSON.parse(String(values))),
    hostExec: (sql) => void storage.exec(String(sql)),
    hostLater(id, ms) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        evaluate(`fire(${id})`);
        work();
      }, Number(ms));
      timers.add(timer);
    },
    hostAnswer(id, text) {
      const { value, error } = JSON.parse(String(text));
      const asked = waiting.get(Number(id));
      waiting.delete(Number(id));
      if (error === undefined) asked?.resolve(value);
      else asked?.reject(new Error(error));
    },
  };
  for (const [name, perform] of Object.entries(functions)) {
    const made = vm.newFunction(name, (...handles) => {
      const given = handles.map((handle) => vm.dump(handle) as string | number);
      return json(() => perform(...given));
    });
    vm.setProp(vm.global, name, made);
    made.dispose();
  }
  for (const code of [bridge, ...programs]) evaluate(code);
  work();
  let last = 0;
  return {
    ask(expression) {
      const asked = Promise.withResolvers<unknown>();
      waiting.set(++last, asked);
      evaluate(`answer(${last}, (async () => (${expression}))())`);
      work();
      return asked.promise;
    },
    memoryBytes() {
      const usage = runtime.computeMemoryUsage();
      const { memory_used_size: bytes } = vm.dump(usage) as { memory_used_size: number };
      usage.dispose();
      return bytes;
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
      vm.dispose();
      runtime.dispose();
    },
  };
}

/** Compiles a program, and runs nothing of it. */
export async function compileInQuickJs(code: string): Promise<void> {
  const runtime = (await getQuickJS()).newRuntime();
  const vm = runtime.newContext();
  vm.unwrapResult(vm.evalCode(code, 'core.js', { compileOnly: true })).dispose();
  vm.dispose();
  runtime.dispose();
}

/** An app with a workflow: an agent, a person, a call and a step, one after the other. */
export const refundingApp = `
  globalThis.paid = [];
  globalThis.failures = [];
  const { agent, ask, assign, setup, step, tool, workflow } = detent;
  const refund = setup({
    actors: {
      assess: agent({ prompt: ({ order }) => 'Assess ' + order }),
      approve: ask({ question: ({ why }) => 'Refund? ' + why }),
      pay: tool('pay'),
      tell: step({ sideEffect: 'idempotent', run: ({ order }, { idempotencyKey }) => order + ' ' + idempotencyKey.slice(-2) }),
    },
    actions: { note: assign(({ context }, { output }) => ({ notes: [...context.notes, output] })) },
  }).createMachine({
    id: 'refund',
    context: ({ input }) => ({ ...input, notes: [] }),
    output: ({ context }) => context.notes,
    initial: 'assessing',
    states: Object.fromEntries(
      [['assessing', 'assess'], ['approving', 'approve'], ['paying', 'pay'], ['telling', 'tell']].map(
        ([state, src], i, all) => [
          state,
          {
            after: { 86400000: 'late' },
            invoke: {
              id: src,
              src,
              input: ({ context: { order, notes } }) => (src === 'pay' ? { cents: 5 } : { order, why: notes[0] }),
              onDone: {
                target: all[i + 1]?.[0] ?? 'done',
                actions: { type: 'note', params: ({ event: { output } }) => ({ output }) },
              },
            },
          },
        ],
      ).concat([['done', { type: 'final' }], ['late', { type: 'final' }]]),
    ),
  });
  globalThis.core = detent.createCore({
    host: { storage, random, report: (error) => void failures.push(String(error) + error?.stack) },
    models: {
      device: {
        contextWindow: 32_000,
        generate: async ({ model }) => ({ ...detent.unanswered(model, null), finish: 'stop', text: 'it broke' }),
      },
    },
    model: 'device/small',
    tools: {
      define: [
        detent.defineTool({
          name: 'pay',
          description: 'Pays.',
          jsonSchema: { type: 'object', properties: { cents: { type: 'number' } }, required: ['cents'] },
          sideEffect: 'unsafe',
          confirm: false,
          run: ({ cents }) => {
            paid.push(cents);
            return 'paid';
          },
        }),
      ],
    },
    workflows: detent.workflows([workflow(refund)]),
  });
  globalThis.refundOnce = async (order) => {
    const run = core.workflows.start('refund', { order });
    const { status, pending } = await run.result;
    await run.answer('approve', { approved: true });
    const { output } = await run.result;
    return { asked: status, open: pending.length, output };
  };`;

/** An app whose model and tool are its own: each run pays once, after a person approved, and says so. */
export const payingApp = `
  globalThis.paid = [];
  globalThis.failures = [];
  const model = {
    contextWindow: 32_000,
    async generate({ model, messages }, { onDelta }) {
      const answer = detent.unanswered(model, null);
      const call = { id: 'c', name: 'pay', arguments: '{"cents":5}' };
      if (messages.at(-1).role === 'user') return { ...answer, finish: 'toolCalls', toolCalls: [call] };
      onDelta({ type: 'text', text: 'done' });
      return { ...answer, finish: 'stop', text: 'done' };
    },
  };
  const pay = detent.defineTool({
    name: 'pay',
    description: 'Pays.',
    jsonSchema: { type: 'object', properties: { cents: { type: 'number' } }, required: ['cents'] },
    sideEffect: 'unsafe',
    run: ({ cents }) => {
      paid.push(cents);
      return 'paid';
    },
  });
  globalThis.core = detent.createCore({
    host: { storage, random, report: (error) => void failures.push(String(error)) },
    models: { device: model },
    model: 'device/small',
    tools: { define: [pay] },
  });
  globalThis.payOnce = async (words) => {
    const run = core.run(words);
    const { status, pending } = await run.result;
    await run.confirm(pending[0].callId, { verdict: 'approve' });
    const { text } = await run.result;
    return { asked: status, text };
  };`;
