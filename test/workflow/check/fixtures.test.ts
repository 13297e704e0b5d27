import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { checkWorkflow } from '../../../src/workflow/check/check-workflow.ts';
import { isChart } from '../../../src/workflow/facade/chart-services.ts';
import { step } from '../../../src/workflow/services.ts';
import { workflow } from '../../../src/workflow/workflow.ts';
import { chartNames, exampleCharts } from '../charts.ts';

/** The errors of each chart: as it is written, and when all of its services are declared as steps. */
const expected: Record<string, { written: string[]; declared: string[] }> = {
  'workflow-async-function': { written: ['NOT_DURABLE async-function-invocation.Send email'], declared: [] },
  'workflow-async-subflow': {
    written: ['NOT_DURABLE async-function-invocation/onboarding.Welcome'],
    declared: [],
  },
  'workflow-check-inbox': {
    written: [
      'NOT_DURABLE checkInbox',
      'NOT_DURABLE checkInbox.CheckInbox',
      'NOT_DURABLE checkInbox.SendTextForHighPriority',
    ],
    // Its reminders come from a callback: a step that ends does not remind.
    declared: [],
  },
  'workflow-credit-check': {
    written: [
      'NOT_DURABLE customercreditcheck.CheckCredit',
      'NOT_DURABLE customercreditcheck.StartApplication',
      'NOT_DURABLE customercreditcheck.RejectApplication',
    ],
    declared: [],
  },
  'workflow-event-based': {
    written: ['HandleApprovedVisa', 'HandleRejectedVisa', 'HandleNoVisaDecision'].map(
      (state) => `NOT_DURABLE eventbasedswitchstate.${state}`,
    ),
    declared: [],
  },
  'workflow-greeting': { written: ['NOT_DURABLE greeting.Greet'], declared: [] },
  'workflow-monitor-patient': {
    written: [],
    declared: [],
  },
  'workflow-parallel': {
    written: ['ShortDelayBranch', 'LongDelayBranch'].map(
      (region) => `NOT_DURABLE parallel-execution.ParallelExec.${region}.active`,
    ),
    declared: [],
  },
  'workflow-purchase-order-deadline': { written: ['NOT_DURABLE order.CancelOrder'], declared: [] },
  'workflow-reusing-functions': {
    written: [
      'NOT_DURABLE paymentconfirmation.PaymentReceived',
      'NOT_DURABLE paymentconfirmation.SendPaymentSuccess',
      'NOT_DURABLE paymentconfirmation.SendInsufficientResults',
      'SEND_TO paymentconfirmation.End',
    ],
    declared: ['SEND_TO paymentconfirmation.End'],
  },
};

/** The same chart, with steps for its services, also in the machines that it invokes. */
function declared(chart: AnyStateMachine): AnyStateMachine {
  const actors = Object.entries(chart.implementations.actors as Record<string, unknown>).map(
    ([name, logic]) => [
      name,
      isChart(logic) ? declared(logic) : step({ sideEffect: 'readonly', run: () => null }),
    ],
  );
  return chart.provide({ actors: Object.fromEntries(actors) });
}

function errorsOf(chart: AnyStateMachine): string[] {
  return checkWorkflow(workflow(chart))
    .filter(({ level }) => level === 'error')
    .map(({ code, state }) => `${code} ${state}`);
}

describe('the workflow examples of XState', () => {
  it('are all here', () => {
    expect(Object.keys(expected)).toEqual(chartNames);
  });

  it.each(Object.entries(expected))('%s has these errors', (name, { written, declared: left }) => {
    const { workflow: chart } = exampleCharts(name);
    expect({ written: errorsOf(chart), declared: errorsOf(declared(chart)) }).toEqual({
      written,
      declared: left,
    });
  });

  it('are warned of what they leave to chance', () => {
    const warned = chartNames.flatMap((name) =>
      checkWorkflow(workflow(exampleCharts(name).workflow)).filter(({ level }) => level === 'warning'),
    );
    expect([...new Set(warned.map(({ code }) => code))].sort()).toEqual([
      'INLINE_GUARD',
      'NO_EXIT',
      'NO_ONERROR',
      'NO_VERSION',
      'UNCHECKED_EVENT',
      'UNNAMED_INVOKE',
    ]);
  });

  it('one invokes a chart as live actors do, which is refused', () => {
    const { parent } = exampleCharts('workflow-reusing-functions');
    expect(parent && errorsOf(parent)).toEqual([
      'NOT_DURABLE parent',
      'SEND_TO parent',
      ...['PaymentReceived', 'SendPaymentSuccess', 'SendInsufficientResults'].map(
        (state) => `NOT_DURABLE parent/paymentconfirmation.${state}`,
      ),
      'SEND_TO parent/paymentconfirmation.End',
    ]);
  });
});
