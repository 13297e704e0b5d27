import digest from '../../../examples/workflows/digest.machine.ts';
import onboarding from '../../../examples/workflows/onboarding.machine.ts';
import plan from '../../../examples/workflows/plan.machine.ts';
import refund from '../../../examples/workflows/refund.machine.ts';
import type { ModelRequest } from '../../../src/index.ts';
import type { SideEffect } from '../../../src/protocol/tool.ts';
import type { WorkflowAnswer } from '../../../src/runtime/config/workflow-request.ts';
import type { ScriptedAnswer } from '../../../src/testing/index.ts';
import type { Workflow } from '../../../src/workflow/index.ts';

/** What a person, or another system, sees of a run before it does something. */
export interface Seen {
  /** The state of the chart, as JSON. */
  state: string;
  /** How many transitions an event of this type has made in it. */
  count(type: string): number;
}

export interface WorkflowScenario {
  name: string;
  workflow: Workflow;
  input: (site: string) => unknown;
  /** Delays of the chart, in milliseconds. */
  delays?: Readonly<Record<string, number>>;
  /** Attempts at a step that fail: so many of the first ones. */
  failing?: Readonly<Record<string, number>>;
  /** The class of steps, where it is not the example's own. */
  classes?: Readonly<Record<string, SideEffect>>;
  /** The tool that pays needs a person. */
  asksToPay?: true;
  answer: (prompt: string, request: ModelRequest) => ScriptedAnswer;
  /** What a person answers to the questions of invocations. Others stay unanswered. */
  answers?: Readonly<Record<string, { when?: (seen: Seen) => boolean; answer: WorkflowAnswer }>>;
  /** Each is sent once. */
  events?: readonly { when: (seen: Seen) => boolean; event: { type: string; [field: string]: unknown } }[];
  expected: {
    output: unknown;
    /** How many invocations of a service took effect, or calls of a tool: each once, or again under its key. */
    effects: Readonly<Record<string, number>>;
    /** How often an `after` fires, at least and at most. */
    fires?: Readonly<Record<string, readonly [least: number, most: number]>>;
  };
}

/** Longer than any scenario. */
const never = 600_000;
const claim = { order: 'A-17', complaint: 'broken' };

const large = { amount: 120, risk: 'high', why: 'the box was empty' };
const small = { amount: 12, risk: 'low', why: 'a scratch' };
const approved = { approve: { answer: { approved: true } } } as const;

const refunded = (name: string, assessment: typeof large, change: Partial<WorkflowScenario>) => ({
  name: `refund: ${name}`,
  workflow: refund as Workflow,
  input: () => claim,
  delays: { patience: never },
  answer: () => ({ output: assessment }),
  expected: {
    output: { outcome: 'refunded', why: assessment.why },
    effects: { refund_payment: 1, tell: 1, takeBack: 0 },
  },
  ...change,
});

const takenBack = { outcome: 'taken back', why: 'tell failed' };

export const workflowScenarios: readonly WorkflowScenario[] = [
  refunded('a small one is paid by an unsafe tool', small, {}),
  refunded('a person approves it, and then the payment', large, { answers: approved, asksToPay: true }),
  refunded('compensation by a step that is tried again', large, {
    answers: approved,
    failing: { tell: 99, takeBack: 2 },
    expected: { output: takenBack, effects: { refund_payment: 1, tell: 0, takeBack: 1 } },
  }),
  refunded('compensation by an unsafe step', small, {
    failing: { tell: 99 },
    classes: { takeBack: 'unsafe' },
    expected: { output: takenBack, effects: { refund_payment: 1, tell: 0, takeBack: 1 } },
  }),
  refunded('nobody decides', large, {
    delays: { patience: 300 },
    expected: {
      output: { outcome: 'expired', why: 'nobody decided in time' },
      effects: { refund_payment: 0, tell: 0, takeBack: 0 },
      fires: { patience: [1, 1] },
    },
  }),
  refunded('the order is recalled while a person thinks', large, {
    events: [{ when: ({ state }) => state === '"approving"', event: { type: 'order.recalled' } }],
    expected: {
      output: { outcome: 'refused', why: 'the order was recalled' },
      effects: { refund_payment: 0, tell: 0, takeBack: 0 },
    },
  }),
  {
    name: 'plan: two rounds of two agents',
    workflow: plan as Workflow,
    input: () => ({ goal: 'a door' }),
    delays: { anHour: never },
    answer(prompt, { messages }) {
      if (prompt.startsWith('Plan')) {
        const round = prompt.includes('Still missing') ? 2 : 1;
        return { output: { code: `code ${round}`, docs: `docs ${round}` } };
      }
      if (prompt.startsWith('The goal'))
        return { output: { ok: prompt.includes('did code 2'), missing: 'a handle' } };
      const isNoted = messages.some(({ role }) => role === 'tool');
      const [task = ''] = messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
      if (task.startsWith('code') && !isNoted) return { toolCalls: [{ id: 'call_1', name: 'note' }] };
      return { text: `did ${task}` };
    },
    expected: {
      output: { ok: true, rounds: 2, code: 'did code 2', docs: 'did docs 2', missing: '' },
      effects: { note: 2 },
      fires: { anHour: [0, 0] },
    },
  },
  {
    name: 'digest: a child chart, and what fails the first time',
    workflow: digest as Workflow,
    input: (site) => ({ mail: `${site}/mail`, news: `${site}/news`, deliverTo: `${site}/deliver` }),
    answer: (prompt) =>
      prompt.startsWith('Write')
        ? { text: prompt.includes('/mail') && prompt.includes('/news') ? 'a draft' : 'half a draft' }
        : { output: { ok: prompt.includes('a fine'), text: 'a fine digest' } },
    failing: { read: 1 },
    expected: {
      output: { sent: true, text: 'a fine digest', failure: '' },
      effects: { read: 2, deliver: 1 },
    },
  },
  {
    name: 'onboarding: reminders, a pause, a form, and an event',
    workflow: onboarding as Workflow,
    input: () => ({ name: 'Ada', email: 'ada@example.com' }),
    delays: { fiveDays: 150, sixWeeks: never, aQuarter: never },
    failing: { write: 1 },
    classes: { write: 'probe' },
    answer: () => ({ text: 'unused' }),
    answers: {
      profile: {
        when: ({ count }) => count('member.resumed') > 0,
        answer: { answer: { team: 'engines', newsletter: false } },
      },
    },
    events: [
      {
        when: ({ state, count }) => state.includes('joining') && count('xstate.after.fiveDays') > 0,
        event: { type: 'member.paused' },
      },
      { when: ({ state }) => state === '"paused"', event: { type: 'member.resumed' } },
      {
        when: ({ state }) => state.includes('known'),
        event: { type: 'account.verified', account: 'acc 1' },
      },
    ],
    expected: {
      output: { outcome: 'ready', account: 'acc 1', profile: { team: 'engines', newsletter: false } },
      effects: {},
      fires: { fiveDays: [1, 99], sixWeeks: [0, 0], aQuarter: [0, 0] },
    },
  },
  {
    name: 'onboarding: a member who never comes',
    workflow: onboarding as Workflow,
    input: () => ({ name: 'Ada', email: 'ada@example.com' }),
    delays: { fiveDays: 150, sixWeeks: 500, aQuarter: never },
    answer: () => ({ text: 'unused' }),
    expected: {
      output: { outcome: 'left', account: '', profile: null },
      effects: {},
      fires: { sixWeeks: [1, 1] },
    },
  },
];
