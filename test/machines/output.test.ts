import { describe, expect, it } from 'vitest';
import { noCost, PureRun } from './pure-run.ts';

const requesting = 'active.working.thinking.requesting';
const invalid = ['invalid_output', 'INVALID_OUTPUT'];

describe('the last answer of a run with an output schema', () => {
  it('completes the run when it fits', () => {
    expect(PureRun.started().answer({ fits: true }).ending).toEqual(['completed', undefined]);
  });

  it('is asked for once more when it does not fit', () => {
    const run = PureRun.started().answer({ fits: false });
    expect([run.path, run.effects('effect.callModel')]).toEqual([requesting, [2]]);
    expect(run.answer({ fits: true }).ending).toEqual(['completed', undefined]);
  });

  it('fails the run when it does not fit a second time', () => {
    expect(PureRun.started().answer({ fits: false }).answer({ fits: false }).ending).toEqual(invalid);
  });

  it('is not asked for again when the model calls tools in between', () => {
    const run = PureRun.started().answer({ fits: false });
    for (let i = 0; i < 3; i++) {
      run.ask('readonly');
      run.done(run.calls('started')[0] ?? 0);
      expect(run.path).toBe(requesting);
    }
    expect(run.answer({ fits: false }).ending).toEqual(invalid);
  });

  it('is not asked for again after a compaction', () => {
    const run = PureRun.started().answer({ fits: false }).tooBig().flushed().compacted();
    expect(run.path).toBe(requesting);
    expect(run.answer({ fits: false }).ending).toEqual(invalid);
  });

  it('is not asked for again after a compaction that failed', () => {
    const run = PureRun.started().answer({ fits: false }).tooBig().flushed().compactFails().compactFails();
    expect(run.path).toBe(requesting);
    expect(run.answer({ fits: false }).ending).toEqual(invalid);
  });

  it('may be mended again when a message came after it', () => {
    const run = PureRun.started().answer({ fits: false }).message().answer({ fits: false });
    expect(run.path).toBe(requesting);
    expect(run.answer({ fits: false }).path).toBe(requesting);
    expect(run.answer({ fits: false }).ending).toEqual(invalid);
  });

  it('counts as a step each time', () => {
    expect(PureRun.started({ steps: 1 }).answer({ fits: false }).ending).toEqual(['max_steps', 'MAX_STEPS']);
    const run = PureRun.started({ steps: 2 }).answer({ fits: false });
    expect(run.answer({ fits: true }).ending[0]).toBe('completed');
  });

  it('is not asked for again without a budget for it', () => {
    const run = PureRun.started({ tokens: 100 }).answer({
      fits: false,
      cost: { ...noCost, inputTokens: 100 },
    });
    expect(run.ending[0]).toBe('budget_exhausted');
  });

  it.each(['length', 'refusal', 'contentFilter'] as const)('ends the run as any other with %s', (finish) => {
    const plain = PureRun.started().answer({ finish }).ending;
    expect(PureRun.started().answer({ finish, fits: false }).ending).toEqual(plain);
    expect(PureRun.started().answer({ fits: false }).answer({ finish, fits: false }).ending).toEqual(plain);
  });

  it('is asked for again when empty, as in any other run, but six empty ones fail the run', () => {
    const run = PureRun.started();
    for (let i = 1; i <= 5; i++) expect(run.answer({ text: false, fits: false }).path).toBe(requesting);
    expect(run.answer({ text: false, fits: false }).ending).toEqual(invalid);
  });

  it('does not fit when it is empty where it should mend another', () => {
    const run = PureRun.started().answer({ fits: false });
    expect(run.answer({ text: false, fits: false }).ending).toEqual(invalid);
  });

  it('ends the run as blocked by policy when policy refused the calls that the model needed', () => {
    const run = PureRun.started({ errors: 9 }).ask('refuse').answer({ fits: false });
    expect(run.path).toBe(requesting);
    expect(run.answer({ fits: false }).ending).toEqual(['blocked_by_policy', 'BLOCKED_BY_POLICY']);
  });
});
