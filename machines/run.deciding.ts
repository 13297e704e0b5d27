import { runSetup } from './run.setup.ts';

/** Where a run goes next: the one state in which branches and budgets are decided. */
export const deciding = runSetup.createStateConfig({
  description: 'Transient: every branch and every budget is decided here.',
  always: [
    { guard: 'hasFailed', target: '#run.failed', actions: 'closeOpen' },
    {
      guard: 'isFiltered',
      target: '#run.failed',
      actions: [{ type: 'fail', params: { code: 'CONTENT_FILTERED' } }, 'closeOpen'],
    },
    {
      guard: 'isRefused',
      target: '#run.failed',
      actions: [{ type: 'fail', params: { code: 'REFUSED' } }, 'closeOpen'],
    },
    { guard: 'isSteered', target: 'deciding', reenter: true, actions: 'skipUnstarted' },
    { guard: 'hasAsked', target: '#run.active.awaitingConfirm' },
    { guard: 'hasStarted', target: 'tooling' },
    { guard: 'hasUncertain', target: '#run.active.reconciling' },
    { guard: 'hasReady', target: 'tooling' },
    {
      guard: 'isBlockedByPolicy',
      target: '#run.failed',
      actions: { type: 'fail', params: { code: 'BLOCKED_BY_POLICY' } },
    },
    {
      guard: 'isTruncated',
      target: '#run.failed',
      actions: { type: 'fail', params: { code: 'TRUNCATED' } },
    },
    { guard: 'isAnswered', target: '#run.done', actions: 'complete' },
    { guard: 'isCompaction', target: '#run.done', actions: 'complete' },
    {
      guard: 'isLooping',
      target: '#run.failed',
      actions: { type: 'fail', params: { code: 'SAME_CALL_FAILED' } },
    },
    {
      guard: 'hasTooManyErrors',
      target: '#run.failed',
      actions: { type: 'fail', params: { code: 'CONSECUTIVE_ERRORS' } },
    },
    {
      guard: 'isOverSteps',
      target: '#run.failed',
      actions: { type: 'fail', params: { code: 'MAX_STEPS' } },
    },
    {
      guard: 'isOverBudget',
      target: '#run.failed',
      actions: { type: 'fail', params: { code: 'BUDGET_EXHAUSTED' } },
    },
    { target: 'thinking' },
  ],
});
