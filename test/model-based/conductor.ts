import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { OneCallInput } from '../../machines/call.setup.ts';
import { idsIn } from '../../machines/calls.rules.ts';
import type { CallCost, RunContext, RunEvent } from '../../machines/run.types.ts';
import { flushFailed } from '../../src/agent/compaction/flush.ts';
import { noCost } from '../../src/agent/model-call/failed-call.ts';
import { pathOf } from '../../src/engine/machine/decide.ts';
import type { Fact, MachineHost } from '../../src/engine/machine/machine-host.ts';
import type { ModelAnswer } from '../../src/protocol/content.ts';
import { defineTool } from '../../src/protocol/tool.ts';
import { compose } from '../../src/runtime/compose.ts';
import type { Core } from '../../src/runtime/config/core.ts';
import type { RunOptions } from '../../src/store/run-options.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { graphLimits, type PathInput } from './run-graph.ts';

const tenant = 1;
const cost = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, reasoningTokens: 0 };

const nothingToSummarise = 'there is nothing older to summarise';

interface Happened {
  how?: string;
  cost: CallCost;
  error?: { message: string };
}

/** What a tool does next. */
type Word = 'ask' | 'return' | 'throw';

interface Gate {
  open(): void;
}

/**
 * Leads the real runtime (SQLite on disk, real tools, real files) along a path of machine events: every effect is held at
 * a gate until the path wants its fact, and then really performed. A crash is an engine that is dropped and another
 * that takes over.
 */
export class Conductor {
  readonly #folder = mkdtempSync(join(tmpdir(), 'detent-model-based-'));
  readonly #clock = fakeClock();
  readonly #gates = new Map<string, Gate>();
  readonly #answers = new Map<string, Partial<ModelAnswer>>();
  /** What tools at work are to do next. */
  readonly #words = new Map<string, Word[]>();
  readonly #atWork = new Set<string>();
  /** Flushes that are to fail, with what they have cost by then. */
  readonly #failures = new Map<string, CallCost>();
  #asks: boolean[] = [];
  #core: Core | null = null;
  #sessions = 0;
  #runId = '';
  #blocker = '';

  get core(): Core {
    if (!this.#core) throw new Error('not open');
    return this.#core;
  }

  async open(): Promise<void> {
    this.#core = await compose(
      {
        workspace: this.#folder,
        database: { synchronous: 'NORMAL' },
        env: {},
        // An open circuit would answer for the puppet.
        router: { breaker: { failures: 0 } },
        clock: this.#clock,
        // A thread for each crash would take most of the time, and the machine does not hear of it.
        memory: { recall: false },
        models: { puppet: { generate: async (_, { idempotencyKey }) => this.#answer(idempotencyKey) } },
        tools: {
          define: [
            this.#tool('look', 'readonly'),
            this.#tool('act', 'unsafe'),
            this.#tool('forbidden', 'readonly'),
          ],
        },
        onError: (error) => {
          throw error;
        },
      },
      { host: (host) => this.#gated(host) },
    );
  }

  async close(): Promise<void> {
    await this.#core?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A new run, queued behind a run at work. */
  async begin({ only, hasOutput }: PathInput): Promise<void> {
    const session = `s${this.#sessions++}`;
    this.#blocker = await this.#start(session);
    // Something to compact, three times in a row, also after seven answers.
    const earlier = Array.from({ length: 24 }, (_, i) => `earlier words ${i}`);
    // At once, so that they are one commit.
    await Promise.all(earlier.map((words) => this.core.runs.message(tenant, this.#blocker, words)));
    this.#runId = await this.#start(session, { only, hasOutput });
  }

  /** The run of one call, queued behind a run at work. */
  async beginCall({ limits, call }: OneCallInput): Promise<void> {
    const sessionId = `s${this.#sessions++}`;
    this.#blocker = await this.#start(sessionId);
    this.#runId = `call_${this.#sessions}`;
    this.#asks = call.gate === 'refuse' ? [] : [call.gate === 'ask'];
    await this.core.runs.startCall({
      runId: this.#runId,
      tenant,
      sessionId,
      limits,
      options: {
        // Nobody has a tool of that name, so it is refused.
        call: { name: call.gate === 'refuse' ? 'missing' : toolOf(call), arguments: '{}' },
        approve: 'ask',
        workspace: this.#folder,
        principal: { tenantId: tenant, userId: null, claims: {} },
      },
    });
  }

  #start(sessionId: string, { only, hasOutput }: Partial<PathInput> = {}): Promise<string> {
    const options: RunOptions = {
      machine: 'run',
      model: 'puppet/puppet',
      endpoint: null,
      system: '',
      tools: ['look', 'act'],
      approve: 'ask',
      ...(hasOutput && { output: { type: 'object' } }),
      workspace: this.#folder,
      principal: { tenantId: tenant, userId: null, claims: {} },
    };
    return this.core.runs.start({
      tenant,
      sessionId,
      prompt: 'go',
      mode: 'queue',
      options,
      limits: graphLimits,
      ...(only === 'compact' && { only }),
    });
  }

  /** Makes the real thing happen that the event stands for, and waits until it is committed. */
  async play(event: RunEvent): Promise<void> {
    const before = (await this.row()).seq;
    await this.#cause(event);
    await until(async () => (await this.row()).seq !== before, `${event.type} never happened`);
  }

  /**
   * The event that was just played, as it happened: a flush that finds nothing to keep, and a compaction that finds
   * nothing older to summarise, ask no model and cost nothing.
   */
  async happened(event: RunEvent): Promise<RunEvent> {
    if (event.type !== 'flush.done' && event.type !== 'compact.failed') return event;
    const { pk, seq } = await this.row();
    const [last] = await this.core.store.query('listEvents', { run: pk, after: seq - 1, limit: 1 });
    const { how, cost, error } = JSON.parse(last?.body ?? '{}') as Happened;
    return how === 'nothing' || error?.message === nothingToSummarise ? { ...event, cost } : event;
  }

  async #cause(event: RunEvent): Promise<void> {
    const { engine, runs, store } = this.core;
    const send = (type: string, rest: object = {}) =>
      engine.send(tenant, this.#runId, { event: { type, ...rest } });
    switch (event.type) {
      case 'run.start':
        await runs.cancel(tenant, this.#blocker);
        return;
      case 'run.message':
        await runs.message(tenant, this.#runId, 'more');
        return;
      case 'run.cancel':
        await runs.cancel(tenant, this.#runId);
        return;
      case 'run.faulted':
        await send('run.faulted', { code: event.code, message: event.message });
        return;
      case 'run.resumed':
        await send('run.resumed', { lastAt: event.lastAt });
        return;
      case 'subrun.parked':
      case 'subrun.resumed':
        await send(event.type, { callId: event.callId });
        return;
      case 'effect.poisoned':
        await engine.send(tenant, this.#runId, {
          event: { type: event.type, effectId: event.effectId },
          settleAs: 'cancelled',
        });
        return;
      // When a host says these depends on its policy, which is tested with it.
      case 'model.switched':
      case 'context.pruned':
        await engine.send(tenant, this.#runId, { event: { ...event } });
        return;
      case 'confirm.decide': {
        const isQuestion = idsIn((await this.look()).context, 'asking').includes(event.callId);
        const changed = isQuestion
          ? { verdict: 'answer', answer: 'that one' }
          : { verdict: 'modify', arguments: {} };
        const decision = event.verdict === 'modify' ? changed : { verdict: event.verdict };
        await runs.confirm(tenant, this.#runId, event.callId, decision as never);
        return;
      }
      case 'tool.reconcile':
        await runs.reconcile(tenant, this.#runId, event.callId, { verdict: event.verdict });
        return;
      case 'tool.uncertain':
        return this.crash();
      case 'model.done':
        this.#asks = event.calls.filter((call) => call.gate !== 'refuse').map((call) => call.gate === 'ask');
        return this.#perform(event.effectId, {
          finish: event.finish,
          text: event.fits ? '{}' : event.text ? 'words' : '',
          refusal: event.finish === 'refusal' ? 'no' : '',
          toolCalls: event.calls.map((call) => ({ id: '', name: toolOf(call), arguments: '{}' })),
          usage: { ...cost, inputTokens: event.cost.inputTokens, outputTokens: event.cost.outputTokens },
        });
      case 'model.failed':
        return this.#perform(event.effectId, {
          text: event.partial ? 'half a w' : '',
          toolCalls: event.partial ? [{ id: '', name: 'act', arguments: '{}' }] : [],
          error: { kind: 'server', ...event.error },
        });
      case 'context.tooBig':
        return this.#perform(event.effectId, {
          error: {
            kind: 'bad_request',
            code: 'MODEL_CONTEXT_OVERFLOW',
            message: 'too long',
            retryable: false,
          },
          usage: null,
        });
      case 'compact.done':
        return this.#perform(event.effectId, { text: 'a summary' });
      case 'compact.failed':
        return this.#perform(event.effectId, { text: ' ' });
      case 'flush.done':
      case 'flush.failed':
        rmSync(join(this.#folder, 'memory'), { recursive: true, force: true });
        if (event.type === 'flush.failed') {
          writeFileSync(join(this.#folder, 'memory'), 'a file where a folder should be');
          this.#failures.set(this.#key(event.effectId), event.cost ?? noCost);
        } else mkdirSync(join(this.#folder, 'memory'));
        return this.#perform(event.effectId, {});
      case 'tool.asked':
        // A call that is made again after a crash may ask another question than the open one.
        if (idsIn((await this.look()).context, 'asking').includes(event.callId))
          await send(event.type, {
            callId: event.callId,
            key: 'other',
            question: { text: 'And which now?' },
          });
        else await this.#lead(event.callId, 'ask');
        return;
      case 'tool.done':
        return this.#lead(event.effectId, 'return');
      case 'tool.failed':
        return this.#lead(event.effectId, 'throw');
      default: {
        const { pk } = await this.row();
        const id = event.type.slice('timer.'.length);
        const timer = (await store.query('listTimers', { run: pk })).find((row) => row.id === id);
        if (!timer) throw new Error(`no timer ${id}`);
        const due = { id, dueAt: timer.dueAt };
        await engine.send(tenant, this.#runId, { event: { type: event.type }, timer: due });
      }
    }
  }

  /** A fact that came too late, straight from the effect: the engine must take it for what it is. */
  async playStale(event: Extract<RunEvent, { effectId: number }>): Promise<string> {
    return (await this.core.engine.send(tenant, this.#runId, { event: { ...event } })).kind;
  }

  /** The process is gone, with everything in flight; another one takes the session over. */
  async crash(): Promise<void> {
    this.#gates.clear();
    this.#words.clear();
    this.#atWork.clear();
    await this.core.close();
    await this.open();
    await this.core.runs.resume(tenant, { runId: this.#runId });
  }

  row() {
    return this.core.runs.row(tenant, this.#runId);
  }

  /** What the machine knows, and what its clients may do. */
  async look() {
    const row = await this.row();
    const context = JSON.parse(row.context) as RunContext;
    return {
      path: pathOf(JSON.parse(row.state)),
      context,
      allowed: row.ended ? [] : this.core.engine.allowed(row),
    };
  }

  view() {
    return this.core.runs.view(tenant, this.#runId);
  }

  #key(effectId: number): string {
    return `${this.#runId}:${effectId}`;
  }

  async #perform(effectId: number, answer: Partial<ModelAnswer>): Promise<void> {
    const key = this.#key(effectId);
    this.#answers.set(key, answer);
    // The effect is taken up after its commit, a turn or two later.
    await until(() => this.#gates.has(key), `effect ${key} was never performed`);
    this.#gates.get(key)?.open();
    this.#gates.delete(key);
  }

  /** The same for a tool, which goes on from word to word. */
  async #lead(callId: number, word: Word): Promise<void> {
    const key = this.#key(callId);
    this.#words.set(key, [...(this.#words.get(key) ?? []), word]);
    await until(() => this.#gates.has(key) || this.#atWork.has(key), `call ${key} was never performed`);
    this.#gates.get(key)?.open();
    this.#gates.delete(key);
  }

  async #nextWord(key: string, signal: AbortSignal): Promise<Word> {
    await until(
      () => signal.aborted || (this.#words.get(key) ?? []).length > 0,
      `call ${key} was left alone`,
    );
    signal.throwIfAborted();
    return this.#words.get(key)?.shift() ?? 'return';
  }

  #gated(host: MachineHost): MachineHost {
    const effects = Object.fromEntries(
      Object.entries(host.effects).map(([name, handler]) => [
        name,
        {
          ...handler,
          perform: async (job: Parameters<typeof handler.perform>[0]) => {
            await new Promise<void>((open) => this.#gates.set(job.idempotencyKey, { open }));
            const fact = withSomeDelay(await handler.perform(job));
            const cost = this.#failures.get(job.idempotencyKey);
            // What finds nothing left to be kept writes nothing, and cannot fail of itself.
            return cost && fact.event.type === 'flush.done'
              ? flushFailed(job.effectId, new Error('a scripted failure'), cost)
              : fact;
          },
        },
      ]),
    );
    return { ...host, effects };
  }

  #answer(key: string): ModelAnswer {
    return {
      model: 'puppet',
      text: '',
      reasoning: '',
      refusal: '',
      toolCalls: [],
      finish: 'stop',
      finishReason: null,
      usage: cost,
      error: null,
      ...this.#answers.get(key),
    };
  }

  #tool(name: string, sideEffect: 'readonly' | 'unsafe') {
    return defineTool({
      name,
      description: name,
      parameters: z.object({}),
      sideEffect,
      confirm: () => this.#asks.shift() ?? false,
      run: async (_, { idempotencyKey: key, signal, ask }) => {
        this.#atWork.add(key);
        for (;;) {
          const word = await this.#nextWord(key, signal);
          if (word === 'throw') throw new Error('scripted failure');
          if (word === 'return') return 'ok';
          // Whether it waits for the answer is its own affair.
          ask?.({ text: 'Which one?' }).catch(() => {});
        }
      },
    });
  }
}

const patienceMs = 60_000;

async function until(happened: () => boolean | Promise<boolean>, complaint: string): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await happened())) {
    if (Date.now() > end) throw new Error(complaint);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function toolOf(call: { gate: string; class: string }): string {
  if (call.gate === 'refuse') return 'forbidden';
  return call.class === 'readonly' ? 'look' : 'act';
}

/** Jitter may draw no delay at all; then the backoff would be over before the path goes on. */
function withSomeDelay(fact: Fact): Fact {
  return fact.event.delayMs === 0 ? { ...fact, event: { ...fact.event, delayMs: 1 } } : fact;
}
