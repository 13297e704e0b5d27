import { describe, expect, it } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { callMachine } from '../../machines/call.machine.ts';
import type { AnswerCall, RunEvent } from '../../machines/run.types.ts';
import { pathOf } from '../../src/engine/machine/decide.ts';
import { defaultLimits } from '../../src/store/run-options.ts';

type Timeless<E> = E extends RunEvent ? Omit<E, 'at'> : never;
interface Asked {
  type: string;
  params: {
    id?: string;
    delayMs?: number;
    calls?: number[];
    code?: string;
    effectId?: number;
    ids?: number[];
  };
}

/** The call machine under the pure transition functions, with its timers and what it has asked for. */
class PureCall {
  at = 1_000;
  asked: Asked[] = [];
  readonly timers = new Map<string, number>();
  #snapshot: ReturnType<typeof initialTransition<typeof callMachine>>[0];

  constructor(call: Pick<AnswerCall, 'gate' | 'class'>, limits = {}) {
    const input = { limits: { ...defaultLimits, ...limits }, call };
    const [snapshot, actions] = initialTransition(callMachine, input);
    this.#snapshot = snapshot;
    this.#take(actions as unknown as Asked[]);
  }

  static begun(call: Pick<AnswerCall, 'gate' | 'class'>, limits = {}): PureCall {
    return new PureCall(call, limits).send({ type: 'run.start' });
  }

  get path(): string {
    return pathOf(this.#snapshot.value);
  }

  get context() {
    return this.#snapshot.context;
  }

  get ending() {
    const { outcome, error } = this.#snapshot.output ?? {};
    return [outcome, error?.code];
  }

  /** Names and codes of what the events so far asked for, but for timers. */
  get words(): string[] {
    return this.asked
      .filter(({ type }) => !type.startsWith('timer.'))
      .map(({ type, params }) => [type, params.code].join(' ').trim());
  }

  send(event: Timeless<RunEvent>): this {
    const [next, actions] = transition(callMachine, this.#snapshot, { at: this.at, ...event } as never);
    this.#snapshot = next;
    this.#take(actions as unknown as Asked[]);
    return this;
  }

  fire(id: string): this {
    const dueAt = this.timers.get(id);
    if (dueAt === undefined) throw new Error(`timer ${id} is not set in ${this.path}`);
    this.at = Math.max(this.at, dueAt);
    return this.send({ type: `timer.${id}` } as Timeless<RunEvent>);
  }

  #take(actions: readonly Asked[]): void {
    this.asked.push(...actions);
    for (const { type, params } of actions) {
      if (type === 'timer.set') this.timers.set(params.id ?? '', this.at + (params.delayMs ?? 0));
      if (type === 'timer.clear') this.timers.delete(params.id ?? '');
    }
  }
}

const completed = ['completed', undefined];
const running = { gate: 'run', class: 'unsafe' } as const;
const asking = { gate: 'ask', class: 'unsafe' } as const;
const refused = { gate: 'refuse', class: 'readonly' } as const;
const done = { type: 'tool.done', effectId: 1, key: 'k' } as const;
const failed = { type: 'tool.failed', effectId: 1, code: 'TOOL_FAILED', key: 'k' } as const;
const uncertain = { type: 'tool.uncertain', effectId: 1 } as const;

describe('the machine of one call', () => {
  it('holds the call until its turn, and then makes it', () => {
    const run = new PureCall(running);
    expect([run.path, run.words]).toEqual(['idle', ['effect.hold']]);
    run.send({ type: 'run.start' });
    expect([run.path, run.words]).toEqual(['executing', ['effect.hold', 'effect.runTool']]);
  });

  it('completes when the call is done, and when it fails', () => {
    expect(PureCall.begun(running).send(done).ending).toEqual(completed);
    expect(PureCall.begun(running).send(failed).ending).toEqual(completed);
  });

  it('completes at once with a call that policy refuses, and asks for nothing', () => {
    const run = PureCall.begun(refused);
    expect([run.ending, run.words]).toEqual([completed, []]);
  });

  it('counts what the call has spent', () => {
    const cost = { inputTokens: 3, outputTokens: 2, costUsd: 0.1 };
    expect(PureCall.begun(running).send({ ...done, cost }).context).toMatchObject({
      tokensIn: 3,
      tokensOut: 2,
      costUsd: 0.1,
    });
  });

  it('waits for a person, and makes the call or closes it', () => {
    const decide = (verdict: 'approve' | 'reject' | 'modify') =>
      PureCall.begun(asking).send({ type: 'confirm.decide', callId: 1, verdict });
    expect(PureCall.begun(asking).path).toBe('awaitingConfirm');
    expect(decide('approve').path).toBe('executing');
    expect(decide('modify').send(done).ending).toEqual(completed);
    const rejected = decide('reject');
    expect([rejected.ending, rejected.words.at(-1)]).toEqual([completed, 'call.close REJECTED_BY_USER']);
  });

  it('takes the class of changed arguments', () => {
    const decision = { type: 'confirm.decide', callId: 1, verdict: 'modify', class: 'idempotent' } as const;
    expect(PureCall.begun(asking).send(decision).context.pending).toEqual([
      { id: 1, class: 'idempotent', state: 'started' },
    ]);
  });

  it('closes the call when no decision comes in time', () => {
    const run = PureCall.begun(asking, { confirmMs: 50 }).fire('confirm');
    expect([run.ending, run.words.at(-1), run.at]).toEqual([completed, 'call.close EXPIRED', 1_050]);
  });

  it('waits while the call asks a person, and goes on with it', () => {
    const run = PureCall.begun(running).send({ type: 'tool.asked', callId: 1 });
    expect([run.path, run.timers.has('deadline')]).toEqual(['awaitingConfirm', false]);
    expect(run.send({ type: 'confirm.decide', callId: 1, verdict: 'modify' }).path).toBe('executing');
    expect(run.words.filter((word) => word === 'effect.runTool')).toHaveLength(1);
    expect(run.send(done).ending).toEqual(completed);
  });

  it('withdraws the question of a call that ends without an answer', () => {
    const run = PureCall.begun(running).send({ type: 'tool.asked', callId: 1 }).send(done);
    expect([run.ending, run.words.at(-1)]).toEqual([completed, 'question.close CANCELLED']);
    const late = PureCall.begun(running).send({ type: 'tool.asked', callId: 1 }).fire('confirm');
    expect([late.path, late.words.at(-1)]).toEqual(['executing', 'question.close EXPIRED']);
  });

  it('has a person say what became of an interrupted call', () => {
    const word = (verdict: 'ran' | 'retry' | 'skip') =>
      PureCall.begun(running).send(uncertain).send({ type: 'tool.reconcile', callId: 1, verdict });
    expect(PureCall.begun(running).send(uncertain).path).toBe('reconciling');
    expect([word('ran').ending, word('ran').words.at(-1)]).toEqual([completed, 'call.close RECONCILED']);
    expect([word('skip').ending, word('skip').words.at(-1)]).toEqual([completed, 'call.close SKIPPED']);
    expect(word('retry').words.filter((one) => one === 'effect.runTool')).toHaveLength(2);
    const late = PureCall.begun(running).send(uncertain).fire('reconcile');
    expect([late.ending, late.words.at(-1)]).toEqual([completed, 'call.close OUTCOME_UNKNOWN']);
  });

  it('counts working time only while the call is in flight, and not while its sub-run waits', () => {
    const run = PureCall.begun(running, { workMs: 1_000 });
    run.at += 400;
    run.send({ type: 'subrun.parked', callId: 1 });
    run.at += 5_000;
    run.send({ type: 'subrun.resumed', callId: 1 });
    expect((run.timers.get('deadline') ?? 0) - run.at).toBe(600);
    run.send({ type: 'run.resumed', lastAt: run.at });
    expect(run.fire('deadline').ending).toEqual(['deadline', 'DEADLINE']);
  });

  it('ignores what is of another call, and messages', () => {
    const run = PureCall.begun(asking);
    const before = run.context;
    run.send({ type: 'confirm.decide', callId: 2, verdict: 'approve' }).send({ ...done, effectId: 2 });
    run.send({ type: 'run.message' }).send(done);
    expect([run.path, run.context]).toEqual(['awaitingConfirm', before]);
  });

  it.each([
    ['before its turn', new PureCall(running), ['call.close CANCELLED']],
    ['in flight', PureCall.begun(running), ['effect.abort', 'call.close ABORTED']],
    ['while it waits', PureCall.begun(asking), ['call.close CANCELLED']],
    ['interrupted', PureCall.begun(running).send(uncertain), ['call.close OUTCOME_UNKNOWN']],
  ])('gives a call that is cancelled %s a result', (_, run, closing) => {
    run.send({ type: 'run.cancel' });
    expect(run.ending).toEqual(['cancelled', undefined]);
    expect(run.words.slice(-closing.length)).toEqual(closing);
  });

  it('fails when its turn never comes, when its host fails, and when its call ends each process', () => {
    expect(new PureCall(running).fire('queue').ending).toEqual(['deadline', 'QUEUE_EXPIRED']);
    const fault = { type: 'run.faulted', code: 'FAULT', message: 'no' } as const;
    expect(PureCall.begun(running).send(fault).ending).toEqual(['internal_error', 'FAULT']);
    const poisoned = PureCall.begun(running).send({ type: 'effect.poisoned', effectId: 1 });
    expect(poisoned.ending).toEqual(['poisoned', 'POISONED']);
  });
});
