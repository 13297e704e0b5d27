import { describe, expect, it } from 'vitest';
import { withChartQuestion } from '../../src/call/decide-call.ts';
import type { PlanContext } from '../../src/protocol/ports/toolbox.ts';
import type { ChartQuestion } from '../../src/store/run-options.ts';
import { createToolbox } from '../../src/tools/toolbox.ts';
import { tool } from '../support/detent.ts';

const question: ChartQuestion = { question: { text: 'Which size?', options: ['S', 'L'] } };
const approval: ChartQuestion = { approval: { text: 'Refund 50 €?' } };
const context: PlanContext = {
  runId: 'run_1',
  sessionId: 's',
  allowed: null,
  approve: 'ask',
  approveGiven: false,
  workspace: null,
};
const boxOf = (asked: ChartQuestion) =>
  withChartQuestion(createToolbox({ tools: [tool('look'), tool('ask')], allowed: null }), asked);

describe('the toolbox of a run that asks for a chart', () => {
  it.each(['ask', 'all'] as const)('asks a person, whatever is approved: approve %s', async (approve) => {
    const ctx = { ...context, approve, approveGiven: true, allowed: [] };
    expect(await boxOf(question).plan('ask', '{}', ctx)).toEqual({
      gate: 'ask',
      sideEffect: 'readonly',
      why: 'the workflow asks',
      question: { text: 'Which size?', options: ['S', 'L'] },
    });
    expect(await boxOf(approval).plan('ask', '{"amount":50}', ctx)).toEqual({
      gate: 'ask',
      sideEffect: 'readonly',
      why: 'Refund 50 €?',
      asIs: true,
    });
  });

  it.each([question, approval])('refuses where nobody is asked: %j', async (asked) => {
    const plan = await boxOf(asked).plan('ask', '{}', { ...context, approve: 'none' });
    expect(plan).toMatchObject({ gate: 'refuse', code: 'NOBODY_TO_ASK' });
  });

  it('gives the answer as text: an option as it is, a form as JSON', async () => {
    const run = (asked: ChartQuestion, answer?: unknown) =>
      boxOf(asked).run('ask', '{}', { ...(answer !== undefined && { answer }) } as never);
    expect(await run(question, 'L')).toMatchObject({ isError: false, text: 'L' });
    expect(await run(question, { size: 3 })).toMatchObject({ isError: false, text: '{"size":3}' });
    expect(await run(question)).toMatchObject({ isError: true, code: 'NOT_ANSWERED' });
    expect(await run(approval)).toMatchObject({ isError: false, text: 'approved' });
  });

  it('trusts what a person says, and leaves every other tool as it is', async () => {
    const box = boxOf(question);
    expect(box.isUntrusted('ask', '{}')).toBe(false);
    expect(box.isUntrusted('gone', '{}')).toBe(true);
    expect(await box.plan('look', '{}', context)).toMatchObject({ gate: 'run' });
    expect(box.specs(null).map(({ name }) => name)).toEqual(['ask', 'look']);
  });
});
