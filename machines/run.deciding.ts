import { runSetup } from './run.setup.ts';

/** The transient state that decides every branch and checks every budget. */
export const deciding = runSetup.createStateConfig({
  description: 'Transient: decides every branch and checks every budget.',
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
    {
      guard: 'hasInvalidOutput',
      target: '#run.failed',
      actions: { type: 'fail', params: { code: 'INVALID_OUTPUT' } },
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
