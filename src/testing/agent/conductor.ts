import { setTimeout as pause } from 'node:timers/promises';
import { idsIn } from '../../../machines/calls.rules.ts';
import type { RunContext, RunEvent } from '../../../machines/run.types.ts';
import { type EffectJob, type Fact, type MachineHost, pathOf } from '../../engine/machine.ts';
import { defaultTenant as tenant } from '../../protocol/access.ts';
import { type ModelAnswer, unanswered } from '../../protocol/content.ts';
import type { ModelPrice, ModelRequest, Toolbox, ToolOutcome } from '../../protocol/ports.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import { compose, type Decorators } from '../../runtime/compose.ts';
import type { Core, DetentOptions } from '../../runtime/config.ts';
import { breath } from '../../text/limiter.ts';
import { fakeClock } from '../fake-clock.ts';

/** What a call at work does next: its tool runs, asks a person in the tool's place, or fails in its place. */
type Word = 'run' | 'ask' | 'fail';

interface Gate {
  open(): void;
}

/** What is led: a Detent, or a core. */
export type Led = Pick<Core, 'engine' | 'runs' | 'store' | 'close'>;

/** The provider of the scripted model. */
export const puppet = 'puppet';

/**
 * Leads the real runtime along a path of machine events: every effect waits at a gate until the path wants its fact, and is then
 * performed. A crash is an engine that is dropped and another that takes over. Sub-runs are not led: they go their own way.
 */
export class Conductor {
  /** With the scripted model. */
  readonly options: DetentOptions;
  readonly #gates = new Map<string, Gate>();
  readonly #answers = new Map<string, Partial<ModelAnswer>>();
  /** What calls at work are to do next. */
  readonly #words = new Map<string, Word[]>();
  readonly #atWork = new Set<string>();
  /** Facts of effects that are not performed. */
  readonly #instead = new Map<string, Fact>();
  #core: Led | null = null;
  /** The run that is led. */
  protected runId = '';

  /** @param options with a database in a file, which outlives a crash */
  constructor(options: DetentOptions, price?: ModelPrice) {
    this.options = {
      ...options,
      // An open circuit would answer for the puppet.
      router: { breaker: { failures: 0 } },
      clock: fakeClock(),
      models: {
        [puppet]: {
          ...(price && { price }),
          generate: async (request, { idempotencyKey }) => {
            this.asked(request);
            const answer = this.#answers.get(idempotencyKey) ?? (await this.answerBeside(request));
            return say(request.model, answer);
          },
        },
      },
    };
  }

  get core(): Led {
    if (!this.#core) throw new Error('not open');
    return this.#core;
  }

  async open(): Promise<void> {
    this.#core = await this.compose({
      host: (host) => this.#gated(host),
      toolbox: (toolbox) => this.#led(toolbox),
    });
  }

  /** Opens what is led. */
  protected compose(decorate: Pick<Decorators, 'host' | 'toolbox'>): Promise<Led> {
    return compose(this.options, decorate);
  }

  async close(): Promise<void> {
    await this.#core?.close();
  }

  /** Makes the real thing happen that the event stands for, and waits until it is committed. */
  async play(event: RunEvent): Promise<void> {
    const before = (await this.row()).seq;
    await this.cause(event);
    await until(async () => (await this.row()).seq !== before, `${event.type} never happened`);
  }

  protected async cause(event: RunEvent): Promise<void> {
    const { engine, runs, store } = this.core;
    switch (event.type) {
      case 'run.message':
        await runs.message(tenant, this.runId, 'more');
        return;
      case 'run.cancel':
        await runs.cancel(tenant, this.runId);
        return;
      case 'confirm.decide': {
        const isQuestion = idsIn((await this.look()).context, 'asking').includes(event.callId);
        const changed = isQuestion
          ? { verdict: 'answer', answer: this.answerOf(event.callId) }
          : { verdict: 'modify', arguments: this.changeOf(event.callId) };
        const decision = event.verdict === 'modify' ? changed : { verdict: event.verdict };
        await runs.confirm(tenant, this.runId, event.callId, decision as never);
        return;
      }
      case 'tool.reconcile':
        await runs.reconcile(tenant, this.runId, event.callId, { verdict: event.verdict });
        return;
      case 'model.failed':
        return this.perform(event.effectId, {
          ...(event.partial && this.partial()),
          // Of these the next model takes over from a `server` alone, and none from a `bad_request`.
          error: { kind: event.error.retryable ? 'network' : 'bad_request', ...event.error },
        });
      case 'model.switched':
        return this.perform(event.effectId, {
          ...(event.partial && this.partial()),
          error: { kind: 'server', ...event.error },
        });
      case 'context.tooBig':
        return this.perform(event.effectId, {
          error: {
            kind: 'bad_request',
            code: 'MODEL_CONTEXT_OVERFLOW',
            message: 'too long',
            retryable: false,
          },
          usage: null,
        });
      case 'flush.done':
        return this.perform(event.effectId, {});
      case 'flush.failed': {
        const { at: _, ...fact } = event;
        this.#instead.set(this.key(event.effectId), { event: fact } as Fact);
        return this.perform(event.effectId, {});
      }
      case 'compact.done':
        return this.perform(event.effectId, { text: 'a summary' });
      case 'compact.failed':
        return this.perform(event.effectId, { text: ' ' });
      case 'tool.done':
        return this.lead(event.effectId, 'run');
      case 'tool.failed':
        return this.lead(event.effectId, 'fail');
      default: {
        const { pk } = await this.row();
        const id = event.type.slice('timer.'.length);
        const timer = (await store.query('listTimers', { run: pk })).find((row) => row.id === id);
        if (!timer) throw new Error(`no timer ${id}`);
        const due = { id, dueAt: timer.dueAt };
        await engine.send(tenant, this.runId, { event: { type: event.type }, timer: due });
      }
    }
  }

  /** What a person answers to the question of a call at work. */
  protected answerOf(_callId: number): unknown {
    return 'that one';
  }

  /** The arguments with which a person approves a call. */
  protected changeOf(_callId: number): unknown {
    return {};
  }

  /** What a model has said when it fails in the middle. */
  protected partial(): Partial<ModelAnswer> {
    return { text: 'half a w' };
  }

  /** Sees each prompt. */
  protected asked(_request: ModelRequest): void {}

  /** What the model says in a run that is not led. */
  protected answerBeside(_request: ModelRequest): Partial<ModelAnswer> | Promise<Partial<ModelAnswer>> {
    return { text: 'The sub-run answers.' };
  }

  /** What becomes of an effect that was performed. */
  protected factOf(_job: EffectJob, fact: Fact): Fact | Promise<Fact> {
    return withSomeDelay(fact);
  }

  /** Performs a call that goes its way to the tool. */
  protected runTool(
    toolbox: Toolbox,
    name: string,
    rawArguments: string,
    ctx: ToolContext,
  ): Promise<ToolOutcome> {
    return toolbox.run(name, rawArguments, ctx);
  }

  /** The process is gone, with everything in flight; another one takes the session over. */
  async crash(): Promise<void> {
    this.#gates.clear();
    this.#words.clear();
    this.#atWork.clear();
    await this.core.close();
    await this.open();
    await this.core.runs.resume(tenant, { runId: this.runId });
  }

  row() {
    return this.core.runs.row(tenant, this.runId);
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
    return this.core.runs.view(tenant, this.runId);
  }

  protected key(effectId: number): string {
    return `${this.runId}:${effectId}`;
  }

  protected async perform(effectId: number, answer: Partial<ModelAnswer>): Promise<void> {
    const key = this.key(effectId);
    this.#answers.set(key, answer);
    // The effect is taken up after its commit, a turn or two later.
    await until(() => this.#gates.has(key), `effect ${key} was never performed`);
    this.#gates.get(key)?.open();
    this.#gates.delete(key);
  }

  /** The same for a call, which goes on from word to word. */
  protected async lead(callId: number, word: Word): Promise<void> {
    const key = this.key(callId);
    this.#words.set(key, [...(this.#words.get(key) ?? []), word]);
    await until(() => this.#gates.has(key) || this.#atWork.has(key), `call ${key} was never performed`);
    this.#gates.get(key)?.open();
    this.#gates.delete(key);
  }

  #led(toolbox: Toolbox): Toolbox {
    return {
      ...toolbox,
      run: async (name, rawArguments, ctx) => {
        if (this.runId !== ctx.runId) return this.runTool(toolbox, name, rawArguments, ctx);
        this.#atWork.add(ctx.idempotencyKey);
        for (;;) {
          const word = await this.#nextWord(ctx);
          if (word === 'run') return this.runTool(toolbox, name, rawArguments, ctx);
          if (word !== 'ask') return failed(word);
          // Whether it waits for the answer is its own affair.
          ctx.ask?.({ text: 'Which one?' }).catch(() => {});
        }
      },
    };
  }

  async #nextWord({ idempotencyKey: key, signal }: ToolContext): Promise<Word | 'aborted'> {
    await until(
      () => signal.aborted || (this.#words.get(key) ?? []).length > 0,
      `call ${key} was left alone`,
    );
    return signal.aborted ? 'aborted' : (this.#words.get(key)?.shift() ?? 'run');
  }

  #gated(host: MachineHost): MachineHost {
    const effects = Object.fromEntries(
      Object.entries(host.effects).map(([name, handler]) => [
        name,
        {
          ...handler,
          perform: async (job: EffectJob) => {
            const { parentRunId } = job.options as { parentRunId?: string };
            if (parentRunId !== undefined) return handler.perform(job);
            await new Promise<void>((open) => this.#gates.set(job.idempotencyKey, { open }));
            const fact = this.#instead.get(job.idempotencyKey) ?? (await handler.perform(job));
            return this.factOf(job, fact);
          },
        },
      ]),
    );
    return { ...host, effects };
  }
}

function say(model: string, answer: Partial<ModelAnswer>): ModelAnswer {
  return { ...unanswered(model, null), finish: 'stop', usage: usageOf(scriptedTokens), ...answer };
}

const scriptedTokens = { inputTokens: 10, outputTokens: 5 };

export function usageOf({ inputTokens, outputTokens }: typeof scriptedTokens): ModelAnswer['usage'] {
  return { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 };
}

const patienceMs = 30_000;

/** What takes more turns than this waits for a disk: to look at each turn would be most of what a path costs. */
const maxTurns = 8;

export async function until(happened: () => boolean | Promise<boolean>, complaint: string): Promise<void> {
  const end = Date.now() + patienceMs;
  for (let turn = 1; !(await happened()); turn++) {
    if (Date.now() > end) throw new Error(complaint);
    await (turn < maxTurns ? breath() : pause(1));
  }
}

function failed(word: 'fail' | 'aborted'): ToolOutcome {
  return word === 'fail'
    ? { isError: true, code: 'TOOL_FAILED', text: 'scripted failure' }
    : { isError: true, code: 'ABORTED', text: 'aborted' };
}

/** Jitter may draw no delay at all; then the backoff would be over before the path goes on. */
function withSomeDelay(fact: Fact): Fact {
  return fact.event.delayMs === 0 ? { ...fact, event: { ...fact.event, delayMs: 1 } } : fact;
}
