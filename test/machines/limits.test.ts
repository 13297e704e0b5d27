import { describe, expect, it } from 'vitest';
import { PureRun } from './pure-run.ts';

const requesting = 'active.working.thinking.requesting';

function started(run: PureRun): number {
  return run.calls('started')[0] ?? 0;
}

describe('the same failing call', () => {
  it('ends the run at the third time', () => {
    const run = PureRun.started({ errors: 100, repeats: 3 });
    for (let i = 1; i < 3; i++) {
      run.ask('readonly');
      expect([i, run.fail(started(run), 'same').path]).toEqual([i, requesting]);
    }
    run.ask('readonly');
    expect(run.fail(started(run), 'same').ending).toEqual(['loop_detected', 'SAME_CALL_FAILED']);
  });

  it('counts within one answer too', () => {
    const run = PureRun.started({ errors: 100, repeats: 3 }).ask('readonly', 'readonly', 'readonly');
    run.fail(2, 'same').fail(3, 'same').fail(4, 'same');
    expect(run.ending[1]).toBe('SAME_CALL_FAILED');
  });

  it('is forgotten when it succeeds', () => {
    const run = PureRun.started({ errors: 100, repeats: 2 }).ask('readonly').fail(2, 'same').ask('readonly');
    run.done(started(run), 'same').ask('readonly');
    expect(run.fail(started(run), 'same').path).toBe(requesting);
  });

  it('is not forgotten when another succeeds', () => {
    const run = PureRun.started({ errors: 100, repeats: 2 }).ask('readonly').fail(2, 'same').ask('readonly');
    run.done(started(run), 'other').ask('readonly');
    expect(run.fail(started(run), 'same').ending[1]).toBe('SAME_CALL_FAILED');
  });

  it('is another call when its arguments are others', () => {
    const run = PureRun.started({ errors: 100, repeats: 2 });
    for (let i = 0; i < 6; i++) {
      run.ask('readonly');
      run.fail(started(run), `arguments ${i % 2}`);
    }
    expect(run.path).toBe(requesting);
  });

  it('counts when policy or validation refuses it', () => {
    const run = PureRun.started({ errors: 100, repeats: 2 }).ask('refuse mistake').ask('refuse mistake');
    expect(run.ending).toEqual(['loop_detected', 'SAME_CALL_FAILED']);
  });

  it('does not keep an answer from ending the run', () => {
    const run = PureRun.started({ errors: 100, repeats: 2 }).ask('readonly');
    expect(run.fail(2, 'same').answer().ending).toEqual(['completed', undefined]);
  });
});

describe('errors in a row', () => {
  it('are counted by steps, however many calls a step has', () => {
    const run = PureRun.started({ errors: 3, repeats: 100 });
    for (let i = 1; i < 3; i++) {
      run.ask('readonly', 'readonly', 'refuse mistake');
      for (const id of run.calls('started')) run.fail(id);
      expect([i, run.path, run.context.errors]).toEqual([i, requesting, i]);
    }
    expect(run.ask('refuse mistake').ending).toEqual(['loop_detected', 'CONSECUTIVE_ERRORS']);
  });

  it.each([
    ['first', ['done', 'fail']],
    ['last', ['fail', 'done']],
  ] as const)('end with a step in which one call succeeds, be it the %s', (_, order) => {
    const run = PureRun.started({ errors: 2, repeats: 100 }).ask('readonly').fail(2);
    run.ask('readonly', 'readonly');
    for (const outcome of order) run[outcome](started(run));
    expect([run.path, run.context.errors]).toEqual([requesting, 0]);
  });

  it('end with a step in which one call succeeds beside a refused one', () => {
    const run = PureRun.started({ errors: 2, repeats: 100 }).ask('readonly').fail(2);
    run.ask('refuse mistake', 'readonly');
    expect(run.done(started(run)).context.errors).toBe(0);
  });

  it('are decided when the step is over, not in the middle of it', () => {
    const run = PureRun.started({ errors: 1, repeats: 100 }).ask('readonly', 'readonly').fail(2);
    expect(run.path).toBe('active.working.tooling.executing');
    expect(run.done(3).path).toBe(requesting);
  });
});

describe('a run that policy blocks', () => {
  it('ends as blocked_by_policy when the model stops after refusals alone', () => {
    const run = PureRun.started({ errors: 9 }).ask('refuse', 'refuse').answer();
    expect(run.ending).toEqual(['blocked_by_policy', 'BLOCKED_BY_POLICY']);
  });

  it('ends as blocked_by_policy when the model insists', () => {
    expect(PureRun.started({ errors: 1 }).ask('refuse').ending[0]).toBe('blocked_by_policy');
    expect(PureRun.started({ errors: 9, repeats: 1 }).ask('refuse').ending[0]).toBe('blocked_by_policy');
  });

  it('is not blocked when another call of the answer was let through', () => {
    const run = PureRun.started().ask('refuse', 'readonly').done(3).answer();
    expect(run.ending[0]).toBe('completed');
  });

  it('is not blocked when its model made the mistake', () => {
    expect(PureRun.started().ask('refuse mistake').answer().ending[0]).toBe('completed');
  });

  it('is not blocked when it found another way afterwards', () => {
    const run = PureRun.started().ask('refuse').ask('readonly');
    expect(run.done(started(run)).answer().ending[0]).toBe('completed');
  });

  it('is not blocked by a person’s rejection', () => {
    expect(PureRun.started().ask('ask unsafe').decide(2, 'reject').answer().ending[0]).toBe('completed');
  });
});

describe('budgets', () => {
  const cost = { inputTokens: 60, outputTokens: 40, costUsd: 0.25 };

  it('of steps are decided before the next call', () => {
    const run = PureRun.started({ steps: 2 }).ask('readonly').done(2).ask('readonly');
    expect(run.path).toBe('active.working.tooling.executing');
    expect(run.done(started(run)).ending).toEqual(['max_steps', 'MAX_STEPS']);
  });

  it('of steps let the last step be an answer', () => {
    expect(PureRun.started({ steps: 1 }).answer().ending[0]).toBe('completed');
  });

  it('of steps do not count retries and compactions', () => {
    const run = PureRun.started({ steps: 1 })
      .failModel({ error: { code: 'X', message: 'x', retryable: true } })
      .fire('backoff');
    run.tooBig().flushed().compacted();
    expect([run.path, run.context.steps]).toEqual([requesting, 0]);
  });

  it('of tokens are decided before the next call', () => {
    const calls = [{ callId: 2, gate: 'run', class: 'readonly' } as const];
    const run = PureRun.started({ tokens: 100 }).answer({ finish: 'toolCalls', calls, cost });
    expect(run.path).toBe('active.working.tooling.executing');
    expect(run.done(2).ending).toEqual(['budget_exhausted', 'BUDGET_EXHAUSTED']);
  });

  it('of tokens let an answer through that used them up', () => {
    expect(PureRun.started({ tokens: 100 }).answer({ cost }).ending[0]).toBe('completed');
  });

  it('of money are decided before the next call', () => {
    const calls = [{ callId: 2, gate: 'run', class: 'readonly' } as const];
    const run = PureRun.started({ costUsd: 0.25 }).answer({ finish: 'toolCalls', calls, cost }).done(2);
    expect(run.ending[0]).toBe('budget_exhausted');
  });

  it('count what compactions cost, failed ones too', () => {
    const run = PureRun.started({ tokens: 150 }).tooBig().flushed().compactFails(cost);
    expect(run.path).toBe('active.working.compacting.summarizing');
    expect(run.compacted(cost).ending[0]).toBe('budget_exhausted');
  });

  it('count what a refused prompt and a run within a tool cost', () => {
    const calls = [{ callId: 2, gate: 'run', class: 'idempotent' } as const];
    const run = PureRun.started({ tokens: 150 }).answer({ finish: 'toolCalls', calls, cost });
    run.send({ type: 'tool.done', effectId: 2, key: 'k', cost });
    expect(run.ending[0]).toBe('budget_exhausted');
    const other = PureRun.started({ tokens: 100 });
    other.send({ type: 'context.tooBig', effectId: other.awaiting, tokens: 9, cost });
    expect(other.flushed().compacted().ending[0]).toBe('budget_exhausted');
  });

  it('are no bound when there is none', () => {
    const huge = { inputTokens: 1e9, outputTokens: 1e9, costUsd: 1e6 };
    const calls = [{ callId: 2, gate: 'run', class: 'readonly' } as const];
    const run = PureRun.started().answer({ finish: 'toolCalls', calls, cost: huge });
    expect(run.done(2).path).toBe(requesting);
  });
});
