import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { EffectHandler, EffectJob, MachineHost } from '../../src/engine/machine-host.ts';
import { type Detent, defineTool, type RunView, toolContent } from '../../src/index.ts';
import type { McpServerConfig } from '../../src/protocol/config.ts';
import type { Decorators } from '../../src/runtime/compose.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import type { Program } from '../../src/store/program.ts';
import type { RunRow } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';
import { png } from '../support/pictures.ts';
import { processesWith } from '../support/processes.ts';
import { type LifeEntry, labelPattern, readLedger } from './ledger.ts';
import { type ChildOrder, type Command, enoughFile, type LifeOrder } from './order.ts';

const budget = 'team';

/**
 * One life of a crash scenario: does what it is ordered, and kills its process at one boundary. Every commit and every
 * effect has boundaries; counting them first and then dying at each in turn leaves none out. An order that kills nothing
 * may be obeyed in any process.
 *
 * @returns the boundaries that were passed
 */
export async function obeyOrder(order: ChildOrder): Promise<string[]> {
  const life = new Life(order);
  const detent = openDetent(life);
  try {
    for (const command of order.commands) await obey(life, detent, command);
  } finally {
    await end(life, detent);
  }
  if (life.errors.length > 0) throw new AggregateError(life.errors, life.errors.map(String).join('; '));
  return life.passed;
}

/** Ends a driver in an orderly way; `lives.jsonl` has that first. */
export async function end(life: AnyLife, detent: Detent): Promise<void> {
  life.live('close');
  await detent.close();
}

type AnyLife = Life<LifeOrder>;

export class Life<Order extends LifeOrder = ChildOrder> {
  readonly order: Order;
  readonly passed: string[] = [];
  /** Errors that reached no caller. */
  readonly errors: unknown[] = [];

  constructor(order: Order) {
    this.order = order;
  }

  boundary(name: string): void {
    const { haltAt, halt } = this.order;
    const isHere = this.passed.length === haltAt;
    this.passed.push(name);
    if (!isHere || !this.mayHalt()) return;
    if (halt === 'SIGKILL') this.#die();
    this.live('stop', { name });
    process.kill(process.pid, 'SIGSTOP');
  }

  /** Of several processes that have the same boundary to die at, the first one does. */
  protected mayHalt(): boolean {
    return true;
  }

  #die(): never {
    const others = processesWith(this.order.workspace).filter((pid) => pid !== String(process.pid));
    this.record('deaths.jsonl', { processes: others.length });
    this.live('death');
    // Nothing of this process runs after its own SIGKILL.
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  }

  /** Notes what becomes of this process, and which effects it performs. */
  live(what: LifeEntry['what'], about: Pick<LifeEntry, 'run' | 'effect' | 'name'> = {}): void {
    this.record('lives.jsonl', { pid: process.pid, at: Date.now(), what, ...about } satisfies LifeEntry);
  }

  /** What happened in the world: appended at once, so that it survives the process. */
  record(file: string, entry: object): void {
    appendFileSync(join(this.order.workspace, file), `${JSON.stringify(entry)}\n`);
  }
}

export const decoratorsOf = (life: AnyLife): Decorators => ({
  store: (store: Store): Store => ({
    async commit<T>(program: () => Program<T>): Promise<T> {
      life.boundary('commit.before');
      let wrote: Transition[] = [];
      const value = await store.commit(function* () {
        wrote = [];
        const result = yield* noting(program(), wrote);
        life.boundary('commit.inside');
        return result;
      });
      for (const { pk: run, seq } of wrote) life.record('writes.jsonl', { pid: process.pid, run, seq });
      life.boundary('commit.after');
      return value;
    },
    query: (name, input) => store.query(name, input),
    // Without it a process does not look at what others do.
    ...(store.version && { version: () => store.version?.() ?? 0 }),
    close: () => store.close(),
  }),
  host: (host) => withBoundaries(life, host),
  jobHost: (host) => withBoundaries(life, host),
  workflowHost: (host) => withBoundaries(life, host),
});

function withBoundaries(life: AnyLife, host: MachineHost): MachineHost {
  const effects = Object.entries(host.effects).map(([name, handler]) => [name, watched(life, name, handler)]);
  return { ...host, effects: Object.fromEntries(effects) };
}

type Transition = Pick<RunRow, 'pk' | 'seq'>;

/** Collects the transitions that a program writes. */
function* noting<T>(program: Program<T>, wrote: Transition[]): Program<T> {
  let step = program.next();
  while (!step.done) {
    const [name, input] = step.value;
    const answer = yield step.value;
    if ((name === 'advanceRun' || name === 'endRun') && Number(answer) > 0) wrote.push(input as Transition);
    step = program.next(answer);
  }
  return step.value;
}

function watched(life: AnyLife, name: string, handler: EffectHandler): EffectHandler {
  return {
    ...handler,
    async perform(job) {
      life.boundary(`${name}.before`);
      const effect = { run: job.run.id, effect: job.idempotencyKey };
      life.live('begin', effect);
      const stopWatching = watchWork(life, name, job);
      const fact = await handler.perform(job).finally(stopWatching);
      life.live('end', effect);
      life.boundary(`${name}.after`);
      return fact;
    },
  };
}

/** Work that others do has a boundary in its midst: it has taken effect, and its result is still to come. */
function watchWork(life: AnyLife, name: string, { input }: EffectJob): () => void {
  const [label] = labelPattern.exec(input ?? '') ?? [];
  if (label === undefined) return () => {};
  const timer = setInterval(() => {
    if (!readLedger(life.order.workspace).some(({ key }) => key === label)) return;
    clearInterval(timer);
    life.boundary(`${name}.midst`);
  }, 5);
  return () => clearInterval(timer);
}

function tool(
  life: Life,
  name: string,
  sideEffect: 'readonly' | 'idempotent' | 'probe' | 'unsafe',
  confirm: boolean,
) {
  const happened = new Set<string>();
  return defineTool({
    name,
    description: name,
    parameters: z.object({
      n: z.number().optional(),
      size: z.number().optional(),
      image: z.boolean().optional(),
    }),
    sideEffect,
    confirm,
    run: ({ size, image }, { idempotencyKey }) => {
      life.boundary(`${name}.start`);
      life.record('ledger.jsonl', { tool: name, key: idempotencyKey });
      happened.add(idempotencyKey);
      life.boundary(`${name}.end`);
      if (image) return toolContent('', [{ data: png('shown') }]);
      return size ? 'x'.repeat(size) : `${name} done`;
    },
    ...(sideEffect === 'probe' && {
      status: async (_: unknown, { idempotencyKey }: { idempotencyKey: string }) => {
        const ran = readLedger(life.order.workspace).some((entry) => entry.key === idempotencyKey);
        return ran ? { ran: true as const, result: `${name} done` } : { notRan: true as const };
      },
    }),
  });
}

function server(life: Life, file: string, called: string): McpServerConfig {
  const args = [file, life.order.workspace, called];
  return { command: process.execPath, args, trusted: called === 'trusted' };
}

export function openDetent(life: Life): Detent {
  return assemble(
    {
      workspace: life.order.workspace,
      model: life.order.isFirstModelDown ? 'down/model' : 'mock/model',
      ...(life.order.isFirstModelDown && { fallbacks: ['mock/model'] }),
      ...(life.order.sharesBudget && { budgets: { [budget]: { maxTokens: 10_000_000 } } }),
      models: {
        // Nothing listens there.
        down: { baseUrl: 'http://127.0.0.1:9/v1' },
        mock: {
          baseUrl: life.order.baseUrl,
          models: { model: { contextWindow: life.order.contextWindow, maxOutputTokens: 100 } },
        },
      },
      database: { synchronous: life.order.synchronous },
      ...(life.order.sandbox && { sandbox: life.order.sandbox }),
      egress: { allow: ['127.0.0.1'] },
      ...(life.order.serverFile !== null && {
        mcp: {
          servers: {
            plain: server(life, life.order.serverFile, 'plain'),
            trusted: server(life, life.order.serverFile, 'trusted'),
          },
        },
      }),
      tools: {
        // No others: the windows of some scenarios are measured with these in the prompt.
        allowed: [
          'look',
          'note',
          'store',
          'pay',
          'send',
          'http_get',
          'task',
          '@mcp',
          ...(life.order.sandbox ? ['@shell'] : []),
        ],
        define: [
          tool(life, 'look', 'readonly', false),
          tool(life, 'note', 'idempotent', false),
          tool(life, 'store', 'probe', false),
          tool(life, 'pay', 'unsafe', false),
          tool(life, 'send', 'unsafe', true),
        ],
      },
      env: {},
      onError: (error, runId) => {
        console.error(`reported ${runId}`, error);
        life.errors.push(error);
      },
    },
    decoratorsOf(life),
  );
}

async function obey(life: Life, detent: Detent, command: Command): Promise<void> {
  switch (command.do) {
    case 'run': {
      const handle = detent.run(command.prompt, {
        session: 'crash',
        ...(command.approve && { approve: command.approve }),
        ...(command.mode && { mode: command.mode }),
        ...(command.image && { attachments: [{ data: png('given') }] }),
        ...(command.hasClient && { clientTools: [{ name: 'client_look' }] }),
        ...(command.output && { output: z.object({ ok: z.boolean() }) }),
        ...(life.order.sharesBudget && { budget }),
        limits: { maxRetries: 3 },
      });
      acknowledge(life, detent, await handle.started);
      if (command.wait !== false) await handle.result;
      return;
    }
    case 'steerWhen': {
      await until(detent, command.state);
      const [run] = await detent.runs.list({ limit: 1 });
      if (run) await detent.runs.steer(run.runId, command.prompt).catch(() => {});
      return;
    }
    case 'cancelWhen': {
      await until(detent, command.state);
      const [run] = await detent.runs.list({ limit: 1 });
      if (run) await detent.runs.cancel(run.runId);
      return;
    }
    case 'cancelParentWhen': {
      await until(detent, command.state, isTask);
      const run = (await detent.runs.list()).find((run) => !isTask(run));
      if (run) await detent.runs.cancel(run.runId);
      return;
    }
    case 'reach':
      await until(detent, command.state);
      life.boundary(`${command.state}.reached`);
      return;
    case 'accompany':
      await detent.runs.resume();
      life.record('company.jsonl', { pid: process.pid });
      while (!existsSync(join(life.order.workspace, enoughFile)))
        await new Promise((resolve) => setTimeout(resolve, 20));
      return;
    case 'settle':
      await settle(life, detent);
  }
}

/** Every transition that a client has heard of must be there after any crash. */
function acknowledge(life: Life, detent: Detent, runId: string): void {
  detent.on(runId, (signal) => {
    if (signal.type === 'transition')
      life.record('acknowledged.jsonl', { runId, seq: signal.seq, path: signal.path });
  });
}

type Listed = Awaited<ReturnType<Detent['runs']['list']>>[number];

function isTask({ parentRunId }: Listed): boolean {
  return parentRunId !== undefined;
}

/** Waits until the newest of these runs is in a state. */
async function until(detent: Detent, state: string, isMeant = (_: Listed) => true): Promise<void> {
  for (let i = 0; i < 500; i++) {
    const run = (await detent.runs.list()).find(isMeant);
    if (run && (await detent.runs.show(run.runId)).states.at(-1)?.endsWith(state)) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/**
 * Carries everything on to its end, deciding what people are asked: calls are approved, lost ones given up, those of the client
 * get results.
 */
export async function settle(life: Life, detent: Detent): Promise<void> {
  await detent.runs.resume();
  for (let rounds = 0; rounds < 20; rounds++) {
    const views: RunView[] = [];
    for (const { runId } of await detent.runs.list()) {
      acknowledge(life, detent, runId);
      views.push(await detent.runs.attach(runId).result);
    }
    const open = views.flatMap(({ runId, pending }) => pending.map((call) => ({ runId, ...call })));
    for (const { runId, callId, kind, argumentsHash } of open) {
      life.record('asked.jsonl', { runId, callId, kind });
      if (kind === 'reconcile') await detent.runs.reconcile(runId, callId, { verdict: 'skip' });
      else if (kind === 'client')
        await detent.runs.confirm(runId, callId, { verdict: 'result', result: `the client saw ${callId}` });
      else await detent.runs.confirm(runId, callId, { verdict: 'approve', hash: argumentsHash });
    }
    if (open.length === 0 && views.every((view) => ['done', 'failed', 'cancelled'].includes(view.status)))
      return;
  }
  throw new Error('runs did not settle');
}
