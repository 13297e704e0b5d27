import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type Detent, defineTool, type RunView, toolContent } from '../../src/index.ts';
import type { McpServerConfig } from '../../src/protocol/config/config.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import type { Store } from '../../src/store/store.ts';
import { png } from '../support/pictures.ts';
import { decoratorsOf } from './harness/boundaries.ts';
import { Life } from './harness/life.ts';
import { readLedger } from './ledger.ts';
import { type Command, enoughFile, type RunOrder } from './order.ts';

const budget = 'team';

/** One life of a scenario of agents' runs: does what it is ordered. */
export function obeyRunOrder(order: RunOrder): Promise<string[]> {
  const life = new Life(order);
  const detent = openDetent(life);
  return life.lead(detent, async () => {
    for (const command of order.commands) await obey(life, detent, command);
  });
}

type RunLife = Life<RunOrder>;

function tool(
  life: RunLife,
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

function server(life: RunLife, file: string, called: string): McpServerConfig {
  const args = [file, life.order.workspace, called];
  return { command: process.execPath, args, trusted: called === 'trusted' };
}

/** @param store where its runs are; default: where its order says */
export function openDetent(life: RunLife, store?: Store): Detent {
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
      ...(store
        ? { store }
        : {
            database: { synchronous: life.order.synchronous, ...(life.order.url && { url: life.order.url }) },
          }),
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
      onError: life.onError,
    },
    decoratorsOf(life),
  );
}

async function obey(life: RunLife, detent: Detent, command: Command): Promise<void> {
  switch (command.do) {
    case 'run': {
      const handle = detent.run(command.prompt, {
        sessionId: 'crash',
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
function acknowledge(life: RunLife, detent: Detent, runId: string): void {
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
export async function settle(life: RunLife, detent: Detent): Promise<void> {
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
