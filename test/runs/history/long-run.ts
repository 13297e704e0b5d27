import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readMessages, takeMessages } from '../../../src/engine/log/read-log.ts';
import type { ModelRequest } from '../../../src/protocol/ports/chat-model.ts';
import { summaryHeading } from '../../../src/protocol/ports/chat-model.ts';
import type { RunView } from '../../../src/protocol/views.ts';
import { compose } from '../../../src/runtime/compose.ts';
import type { Core } from '../../../src/runtime/config/core.ts';
import type { RunRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { type ScriptedAnswer, type ScriptedModel, scriptedModel } from '../../../src/testing/index.ts';
import { ask } from '../../support/ask.ts';
import { gate, modelOptions, temporaryWorkspace, tool } from '../../support/detent.ts';

export const tenant = 1;

/** What stood in the rows of a run right after one of its transitions. */
export type Standing = Awaited<ReturnType<typeof standing>>;

/** Everything that a run's own tables hold. */
export async function standing(store: Store, row: RunRow) {
  const run = row.pk;
  return {
    row,
    effects: await store.query('listEffects', { run, after: 0 }),
    timers: await store.query('listTimers', { run }),
    confirmations: await store.query('listConfirmations', { run }),
    messages: await Array.fromAsync(readMessages(store, row)),
  };
}

/** Reads a run's rows in the very transaction of each of its transitions. */
export function recording(store: Store, seen: Map<string, Map<number, Standing>>): Store {
  return {
    query: (name, input) => store.query(name, input),
    close: () => store.close(),
    commit: (program) =>
      store.commit(function* () {
        const result = yield* program();
        for (const row of yield* ask('listRuns', { tenant, limit: 100 })) {
          const known = seen.get(row.id) ?? new Map<number, Standing>();
          seen.set(row.id, known);
          if (known.has(row.seq)) continue;
          const run = row.pk;
          known.set(row.seq, {
            row,
            effects: yield* ask('listEffects', { run, after: 0 }),
            timers: yield* ask('listTimers', { run }),
            confirmations: yield* ask('listConfirmations', { run }),
            messages: yield* takeMessages(row, row.seq),
          });
        }
        return result;
      }),
  };
}

/** Known to have a window of 8,192 tokens, of which 2,048 are kept for the answer. */
const small = 'test/moonshot-v1-8k';
const limits = {
  steps: 50,
  tokens: null,
  costUsd: null,
  workMs: 1_800_000,
  errors: 5,
  repeats: 5,
  attempts: 4,
  parallel: 4,
  queueMs: 86_400_000,
  confirmMs: 604_800_000,
  reconcileMs: 604_800_000,
};

const call = (name: string, args: object = {}): ScriptedAnswer => ({
  toolCalls: [{ name, arguments: args, id: '' }],
});

/**
 * One run with everything in it: parallel calls, retries, questions approved, changed and rejected, a message at work, a
 * crash that leaves a call's fate unknown, and a compaction. It stands in a session behind an earlier run.
 */
export class LongRun {
  readonly seen = new Map<string, Map<number, Standing>>();
  readonly executed: string[] = [];
  readonly model: ScriptedModel;
  readonly slow = gate();
  readonly pay = gate();
  workspace = '';
  core!: Core;
  runId = '';
  /** Model calls that have yet to fail. */
  #failures = 2;

  constructor() {
    this.model = scriptedModel(Array.from({ length: 10_000 }, () => (request) => this.#answer(request)));
  }

  /** Position by what it is shown alone, so that a fork goes on wherever it begins. */
  #answer({ messages }: ModelRequest): ScriptedAnswer {
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const said = messages[last]?.text ?? '';
    const answered = messages.slice(last + 1).filter(({ role }) => role === 'assistant').length;
    if (said.startsWith('Before the conversation')) return { text: 'They did a lot.' };
    if (said.startsWith('Summarise the conversation')) return { text: 'They did a lot.' };
    if (said.startsWith('before')) return { text: 'hello' };
    if (said.startsWith(summaryHeading)) return answered < 4 ? call('look') : { text: 'all done' };
    if (said.startsWith('rather'))
      return (
        [call('pay'), call('look', { size: 12_000 }), call('look', { size: 16_000 })][answered] ?? {
          text: 'all done',
        }
      );
    if (answered === 1 && this.#failures-- > 0)
      return { error: { code: 'MODEL_SERVER', message: 'try again', retryable: true, retryAfterMs: 1 } };
    const look = { name: 'look', id: '' };
    const note = { name: 'note', id: '' };
    return (
      [
        { toolCalls: [look, { ...look, arguments: { n: 2 } }] },
        {
          toolCalls: [
            { ...note, arguments: { n: 1 } },
            { ...note, arguments: { n: 2 } },
          ],
        },
        call('note', { n: 3 }),
        call('slow'),
      ][answered] ?? { text: 'never steered' }
    );
  }

  async open(): Promise<Core> {
    const done = (name: string, answer: (args: { size?: number }) => unknown) => (args: object) => {
      this.executed.push(name);
      return answer(args);
    };
    const tools = [
      tool('look', { run: done('look', ({ size = 10 }) => 'yyy '.repeat(size / 4)) }),
      tool('note', { sideEffect: 'unsafe', run: done('note', () => 'noted') }),
      tool('slow', { sideEffect: 'idempotent', confirm: false, run: done('slow', () => this.slow.pass()) }),
      tool('pay', {
        sideEffect: 'unsafe',
        run: (_, { signal }) => {
          this.executed.push('pay');
          return this.pay.pass(signal);
        },
      }),
    ];
    const { store: _, ...options } = modelOptions(this.model, {
      workspace: this.workspace,
      database: { file: join(this.workspace, 'long.db'), synchronous: 'NORMAL' },
      tools: { define: tools },
      policy: {},
    });
    this.core = await compose(options, { store: (store) => recording(store, this.seen) });
    return this.core;
  }

  async #start(prompt: string): Promise<string> {
    const { core, workspace } = this;
    return core.runs.start({
      tenant,
      sessionId: 'long',
      prompt,
      mode: 'queue',
      limits,
      options: {
        machine: 'run',
        model: small,
        endpoint: null,
        system: 'be brief',
        tools: ['look', 'note', 'slow', 'pay'],
        approve: 'ask',
        // Nothing is pruned, and nothing done ahead of need, so that it is compacted once.
        context: { compactAt: 1, protectTokens: 100_000 },
        workspace,
        principal: { tenantId: tenant, userId: null, claims: {} },
      } as never,
    });
  }

  async #decide(...decisions: Parameters<Core['runs']['confirm']>[3][]): Promise<RunView> {
    const { runs } = this.core;
    const { pending } = await runs.settled(tenant, this.runId);
    for (const [i, decision] of decisions.entries())
      await runs.confirm(tenant, this.runId, pending[i]?.callId ?? '', decision);
    return runs.settled(tenant, this.runId);
  }

  async live(): Promise<RunView> {
    this.workspace = await temporaryWorkspace();
    await this.open();
    onTestFinished(() => this.core.close());
    await this.core.runs.settled(tenant, await this.#start('before'));
    this.runId = await this.#start('begin');
    await this.#decide({ verdict: 'approve', by: 'ann' }, { verdict: 'modify', arguments: { n: 20 } });
    const rejected = this.#decide({ verdict: 'reject', reason: 'not this one' });
    await this.slow.reached;
    await this.core.runs.message(tenant, this.runId, 'rather pay');
    this.slow.open();
    await rejected;
    const paying = this.#decide({ verdict: 'approve' }).catch(() => {});
    await this.pay.reached;
    await this.core.close();
    await paying;
    await this.open();
    await this.core.runs.resume(tenant, { runId: this.runId });
    const { pending } = await this.core.runs.settled(tenant, this.runId);
    this.pay.open();
    await this.core.runs.reconcile(tenant, this.runId, pending[0]?.callId ?? '', { verdict: 'retry' });
    return this.core.runs.settled(tenant, this.runId);
  }
}
