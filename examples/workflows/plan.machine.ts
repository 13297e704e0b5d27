import { agent, model, workflow } from 'detent/workflow';
import { assign, setup } from 'xstate';
import * as z from 'zod';

const Plan = z.object({ code: z.string(), docs: z.string() });
const Verdict = z.object({ ok: z.boolean(), missing: z.string() });

type Plan = z.infer<typeof Plan>;
type Verdict = z.infer<typeof Verdict>;

interface Work {
  goal: string;
  round: number;
  plan: Plan;
  code: string;
  docs: string;
  /** What the last verdict says is missing, or what failed. */
  missing: string;
}

const messageOf = (error: unknown) => (error as Error).message;

const plan = setup({
  types: {
    input: {} as { goal: string },
    context: {} as Work,
    output: {} as { ok: boolean; rounds: number; code: string; docs: string; missing: string },
  },
  actors: {
    plan: model({
      prompt: ({ goal, missing }: { goal: string; missing: string }) =>
        `Plan the code and the docs for: ${goal}.${missing && ` Still missing: ${missing}`}`,
      output: Plan,
    }),
    work: agent({ prompt: ({ task }: { task: string }) => task }),
    verify: model({
      prompt: ({ goal, code, docs }: { goal: string; code: string; docs: string }) =>
        `The goal was: ${goal}. Is it reached?\n\nCode: ${code}\n\nDocs: ${docs}`,
      output: Verdict,
    }),
  },
  guards: {
    isGood: (_, { ok }: Verdict) => ok,
    mayTryAgain: ({ context }) => context.round < 3,
  },
  actions: {
    beginRound: assign({ round: ({ context }) => context.round + 1 }),
    notePlan: assign((_, plan: Plan) => ({ plan })),
    noteCode: assign((_, { code }: { code: string }) => ({ code })),
    noteDocs: assign((_, { docs }: { docs: string }) => ({ docs })),
    noteMissing: assign((_, { missing }: { missing: string }) => ({ missing })),
  },
  delays: { anHour: 3_600_000 },
}).createMachine({
  id: 'plan',
  version: '1',
  description: 'A model plans, two agents work side by side, and a model verifies: in three rounds at most.',
  context: ({ input }) => ({
    goal: input.goal,
    round: 0,
    plan: { code: '', docs: '' },
    code: '',
    docs: '',
    missing: '',
  }),
  output: ({ context: { round, code, docs, missing }, event }) => ({
    ok: event.output === 'reached',
    rounds: round,
    code,
    docs,
    missing,
  }),
  initial: 'planning',
  states: {
    planning: {
      entry: 'beginRound',
      invoke: {
        id: 'plan',
        src: 'plan',
        input: ({ context: { goal, missing } }) => ({ goal, missing }),
        onDone: { target: 'executing', actions: { type: 'notePlan', params: ({ event }) => event.output } },
        onError: {
          target: 'gaveUp',
          actions: { type: 'noteMissing', params: ({ event }) => ({ missing: messageOf(event.error) }) },
        },
      },
    },
    executing: {
      type: 'parallel',
      after: {
        anHour: {
          target: 'gaveUp',
          actions: { type: 'noteMissing', params: { missing: 'the work took more than an hour' } },
        },
      },
      onDone: 'verifying',
      states: {
        coding: {
          initial: 'working',
          states: {
            working: {
              invoke: {
                id: 'code',
                src: 'work',
                input: ({ context }) => ({ task: context.plan.code }),
                onDone: {
                  target: 'over',
                  actions: { type: 'noteCode', params: ({ event }) => ({ code: event.output }) },
                },
                // What is not there is for the verdict to say.
                onError: 'over',
              },
            },
            over: { type: 'final' },
          },
        },
        writing: {
          initial: 'working',
          states: {
            working: {
              invoke: {
                id: 'docs',
                src: 'work',
                input: ({ context }) => ({ task: context.plan.docs }),
                onDone: {
                  target: 'over',
                  actions: { type: 'noteDocs', params: ({ event }) => ({ docs: event.output }) },
                },
                onError: 'over',
              },
            },
            over: { type: 'final' },
          },
        },
      },
    },
    verifying: {
      invoke: {
        id: 'verify',
        src: 'verify',
        input: ({ context: { goal, code, docs } }) => ({ goal, code, docs }),
        onDone: [
          {
            guard: { type: 'isGood', params: ({ event }) => event.output },
            target: 'reached',
            actions: { type: 'noteMissing', params: { missing: '' } },
          },
          {
            guard: 'mayTryAgain',
            target: 'planning',
            actions: { type: 'noteMissing', params: ({ event }) => event.output },
          },
          { target: 'gaveUp', actions: { type: 'noteMissing', params: ({ event }) => event.output } },
        ],
        onError: {
          target: 'gaveUp',
          actions: { type: 'noteMissing', params: ({ event }) => ({ missing: messageOf(event.error) }) },
        },
      },
    },
    reached: { type: 'final', output: 'reached' },
    gaveUp: { type: 'final', output: 'gave up' },
  },
});

export default workflow(plan, { input: z.object({ goal: z.string() }) });
