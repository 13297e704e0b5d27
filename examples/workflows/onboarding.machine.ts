import { ask, step, workflow } from 'detent/workflow';
import { assign, setup } from 'xstate';
import * as z from 'zod';

const Member = z.object({ name: z.string(), email: z.email() });
const Profile = z.object({ team: z.string(), newsletter: z.boolean() });
const Verified = z.object({ type: z.literal('account.verified'), account: z.string() });

type Member = z.infer<typeof Member>;
type Profile = z.infer<typeof Profile>;

const day = 86_400_000;

const onboarding = setup({
  types: {
    input: {} as Member,
    context: {} as Member & { account: string; profile: Profile | null },
    events: {} as z.infer<typeof Verified> | { type: 'member.paused' } | { type: 'member.resumed' },
    output: {} as { outcome: 'ready' | 'left'; account: string; profile: Profile | null },
  },
  actors: {
    write: step({
      sideEffect: 'idempotent',
      retry: { attempts: 5, delayMs: 60_000 },
      run: async ({ to, text }: { to: string; text: string }) => `wrote to ${to}: ${text}`,
    }),
    askProfile: ask({
      question: ({ name }: { name: string }) => `Which team is ${name} in?`,
      form: Profile,
      expiresMs: 60 * day,
    }),
  },
  actions: {
    noteAccount: assign((_, { account }: { account: string }) => ({ account })),
    noteProfile: assign((_, profile: Profile) => ({ profile })),
  },
  delays: { fiveDays: 5 * day, sixWeeks: 42 * day, aQuarter: 91 * day },
}).createMachine({
  id: 'onboarding',
  version: '1',
  description: 'A member joins: the account is verified elsewhere, and a person fills in the profile.',
  context: ({ input }) => ({ ...input, account: '', profile: null }),
  output: ({ context: { account, profile }, event }) => ({
    outcome: event.output as 'ready' | 'left',
    account,
    profile,
  }),
  initial: 'welcoming',
  states: {
    welcoming: {
      invoke: {
        id: 'welcome',
        src: 'write',
        input: ({ context: { name, email } }) => ({ to: email, text: `Welcome, ${name}!` }),
        onDone: 'joining',
        onError: 'left',
      },
    },
    joining: {
      type: 'parallel',
      after: { sixWeeks: 'left' },
      on: { 'member.paused': 'paused' },
      onDone: 'ready',
      states: {
        account: {
          initial: 'awaited',
          states: {
            awaited: {
              description: 'Another system sends the event; every five days the member is reminded.',
              after: { fiveDays: 'reminding' },
            },
            reminding: {
              invoke: {
                id: 'remind',
                src: 'write',
                input: ({ context }) => ({ to: context.email, text: 'Please verify your account.' }),
                onDone: 'awaited',
                onError: 'awaited',
              },
            },
            verified: { type: 'final' },
          },
          on: {
            'account.verified': {
              target: '.verified',
              actions: { type: 'noteAccount', params: ({ event }) => event },
            },
          },
        },
        profile: {
          initial: 'asked',
          states: {
            asked: {
              invoke: {
                id: 'profile',
                src: 'askProfile',
                input: ({ context: { name } }) => ({ name }),
                onDone: {
                  target: 'known',
                  actions: { type: 'noteProfile', params: ({ event }) => event.output },
                },
                // Declined: the member has none.
                onError: 'known',
              },
            },
            known: { type: 'final' },
          },
        },
        // Where both parts stood when the member paused.
        before: { type: 'history', history: 'deep' },
      },
    },
    paused: {
      on: { 'member.resumed': 'joining.before' },
      after: { aQuarter: 'left' },
    },
    ready: { type: 'final', output: 'ready' },
    left: { type: 'final', output: 'left' },
  },
});

export default workflow(onboarding, { input: Member, events: { 'account.verified': Verified } });
