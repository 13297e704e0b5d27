import {
  and,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  fromPromise,
  log,
  not,
  raise,
  setup,
} from 'xstate';
import type { Scenario } from './scenario.ts';

/** The logic that the charts are written with; a test performs their services. */
const promised = fromPromise<unknown, object | undefined>(async () => null);
const send = (type: string, payload: object = {}) => ({ send: { type, ...payload } });

const toggle = createMachine({
  id: 'toggle',
  initial: 'inactive',
  context: { count: 0 },
  states: {
    inactive: {
      on: { toggle: { target: 'active', actions: assign({ count: ({ context }) => context.count + 1 }) } },
    },
    active: { on: { toggle: 'inactive' }, entry: () => console.log('activated'), exit: [{ type: 'unlit' }] },
  },
}).provide({ actions: { unlit: () => console.log('unlit') } });

const feedback = setup({
  types: { context: {} as { feedback: string; rating: number } },
  guards: { feedbackValid: ({ context }) => context.feedback.length > 0 },
  actions: {
    track: (_, params: { response: string }) => console.log('track', params.response),
    showConfetti: ({ context, event }) => console.log('confetti for', context.feedback, event.type),
  },
}).createMachine({
  id: 'feedback',
  initial: 'prompt',
  context: { feedback: '', rating: 5 },
  states: {
    prompt: {
      on: {
        'feedback.good': { target: 'thanks', actions: { type: 'track', params: { response: 'good' } } },
        'feedback.bad': { target: 'form', actions: [{ type: 'track', params: { response: 'bad' } }] },
      },
    },
    form: {
      on: {
        'feedback.update': { actions: assign({ feedback: ({ event }) => event.value as string }) },
        'feedback.*': [{ guard: 'feedbackValid', target: 'thanks' }, { target: '.invalid' }],
        back: { target: 'prompt' },
      },
      initial: 'editing',
      states: { editing: {}, invalid: { tags: 'invalid' } },
    },
    thanks: { entry: 'showConfetti', after: { 5000: 'closed' } },
    closed: { type: 'final' },
  },
  on: { 'feedback.close': { target: '.closed' } },
  output: ({ context }) => ({ feedback: context.feedback }),
});

const trafficLight = setup({
  types: { context: {} as { changes: number } },
  delays: { yellowTime: 1_000, redTime: ({ context }) => 1_000 + context.changes * 500 },
  actions: { note: (_, params: { colour: string }) => console.log(params.colour) },
}).createMachine({
  id: 'trafficLight',
  initial: 'green',
  context: { changes: 0 },
  states: {
    green: { entry: { type: 'note', params: { colour: 'green' } }, after: { 3000: 'yellow' } },
    yellow: {
      entry: { type: 'note', params: { colour: 'yellow' } },
      after: {
        yellowTime: { target: 'red', actions: assign({ changes: ({ context }) => context.changes + 1 }) },
      },
    },
    red: {
      initial: 'walk',
      after: { redTime: 'green' },
      on: { POWER_OUTAGE: '#blinking' },
      states: { walk: { after: { 500: 'wait' } }, wait: { after: { 500: 'stop' } }, stop: {} },
    },
    blinking: { id: 'blinking', on: { POWER_RESTORED: 'red' } },
  },
});

const fetching = setup({
  types: { context: {} as { retries: number; data: unknown; error: unknown }, input: {} as { url: string } },
  actors: { fetchUser: promised },
  guards: { canRetry: ({ context }, params: { max: number }) => context.retries < params.max },
  delays: { backoff: ({ context }) => 100 * 2 ** context.retries },
}).createMachine({
  id: 'fetch',
  initial: 'idle',
  context: { retries: 0, data: null, error: null },
  states: {
    idle: { on: { FETCH: { target: 'loading', actions: log('fetching') } } },
    loading: {
      invoke: {
        id: 'getUser',
        src: 'fetchUser',
        input: ({ context, event }) => ({ attempt: context.retries, of: event.type }),
        onDone: { target: 'success', actions: assign({ data: ({ event }) => event.output }) },
        onError: { target: 'failure', actions: assign({ error: ({ event }) => event.error }) },
      },
      on: { CANCEL: 'idle' },
      after: { 30000: { target: 'failure', actions: assign({ error: 'timeout' }) } },
    },
    success: { type: 'final' },
    failure: {
      entry: [
        assign({ retries: ({ context }) => context.retries + 1 }),
        ({ context }) => console.log('failed', context.retries),
      ],
      after: { backoff: { guard: { type: 'canRetry', params: { max: 3 } }, target: 'loading' } },
      on: { RETRY: 'loading' },
    },
  },
  output: ({ context }) => context.data,
});

const upload = createMachine({
  id: 'upload',
  type: 'parallel',
  states: {
    upload: {
      initial: 'idle',
      states: {
        idle: { on: { 'UPLOAD.START': 'pending' } },
        pending: {
          on: { 'UPLOAD.DONE': { target: 'success', actions: raise({ type: 'UPLOADED' }) } },
          invoke: { src: 'send', id: 'send', onDone: { actions: raise({ type: 'UPLOAD.DONE' }) } },
        },
        success: { type: 'final', output: 'uploaded' },
      },
    },
    download: {
      initial: 'idle',
      states: {
        idle: { on: { UPLOADED: 'pending' } },
        pending: { on: { 'DOWNLOAD.COMPLETE': 'success' } },
        success: { type: 'final' },
      },
    },
  },
  onDone: undefined,
  output: { files: 1 },
} as never).provide({ actors: { send: promised } } as never);

const payment = createMachine({
  id: 'payment',
  initial: 'method',
  states: {
    method: {
      initial: 'cash',
      states: {
        cash: { on: { SWITCH_CHECK: 'check' } },
        check: {
          initial: 'unsigned',
          states: { unsigned: { on: { SIGN: 'signed' } }, signed: {} },
          on: { SWITCH_CASH: 'cash' },
        },
        hist: { type: 'history' },
        deep: { type: 'history', history: 'deep' },
      },
      on: { NEXT: 'review' },
    },
    review: { on: { PREVIOUS: 'method.hist', BACK: 'method.deep', PAY: 'paid' } },
    paid: { type: 'final' },
  },
});

const reminder = setup({
  actions: { remind: () => console.log('reminded') },
}).createMachine({
  id: 'reminder',
  initial: 'waiting',
  states: {
    waiting: {
      entry: [
        raise({ type: 'timeout', at: 'noon' } as never, { id: 'timer', delay: 10_000 }),
        raise({ type: 'nudge' }, { delay: 4_000 }),
      ],
      on: {
        nudge: { actions: 'remind' },
        timeout: 'late',
        done: { target: 'calm', actions: cancel('timer') },
      },
    },
    calm: { after: { 20000: 'over' }, on: { timeout: 'late' } },
    late: { type: 'final' },
    over: { type: 'final' },
  },
});

const playerChart = setup({
  types: { context: {} as { score: number; log: string[] }, input: {} as { start: number } },
  guards: { hasWon: ({ context }) => context.score >= 3, hasLost: ({ context }) => context.score < 0 },
  actions: {
    loadGame: () => console.log('load'),
    score: assign({ score: ({ context }, { by }: { by: number }) => context.score + by }),
    shout: ({ context, event }, params: { counted: boolean } | undefined) =>
      console.log('score', context.score, event.type, params),
  },
}).createMachine({
  id: 'player',
  context: ({ input }) => ({ score: input.start, log: [] }),
  entry: ['loadGame', emit({ type: 'begun' } as never)],
  exit: () => console.log('game over'),
  initial: 'playing',
  states: {
    playing: {
      always: [
        { guard: and(['hasWon', not('hasLost')]), target: 'win' },
        { guard: 'hasLost', target: 'lose' },
      ],
      on: {
        AWARD: {
          actions: enqueueActions(({ enqueue, check, event }) => {
            enqueue.assign({
              log: ({ context }: { context: { log: string[] } }) => [...context.log, event.type],
            });
            if (!check('hasWon')) enqueue({ type: 'score', params: { by: 1 } });
            enqueue('shout');
            enqueue.raise({ type: 'COUNTED' });
          }),
        },
        COUNTED: { actions: { type: 'shout', params: { counted: true } } },
        FOUL: { actions: { type: 'score', params: { by: -10 } } },
        '*': { actions: assign({ log: ({ context, event }) => [...context.log, `? ${event.type}`] }) },
      },
    },
    win: { type: 'final', output: ({ context }) => ({ won: context.score }) },
    lose: { type: 'final', output: 'lost' },
  },
  output: ({ event }) => ({ result: event.output }),
});

const shipping = setup({ actors: { ship: promised } }).createMachine({
  id: 'shipping',
  initial: 'packing',
  context: ({ input }) => ({ order: (input as { order: string }).order }),
  states: {
    packing: { after: { 1000: 'sending' } },
    sending: { invoke: { src: 'ship', input: ({ context }) => context, onDone: 'sent' } },
    sent: {
      type: 'final',
      output: ({ event }) => ({ parcel: (event as unknown as { output: string }).output }),
    },
  },
  output: ({ event }) => event.output,
});

const order = setup({
  types: { context: {} as { parcel: unknown; error: string } },
  actors: { shipping, charge: promised },
})
  .createMachine({
    id: 'order',
    initial: 'working',
    context: { parcel: null, error: '' },
    states: {
      working: {
        type: 'parallel',
        states: {
          paying: {
            initial: 'charging',
            states: {
              charging: {
                invoke: {
                  id: 'charge',
                  src: 'charge',
                  onDone: 'paid',
                  onError: {
                    target: '#order.failed',
                    actions: assign({ error: ({ event }) => (event.error as Error).message }),
                  },
                },
              },
              paid: { type: 'final' },
            },
          },
          sending: {
            initial: 'shipping',
            states: {
              shipping: {
                invoke: {
                  id: 'ship',
                  src: 'shipping',
                  input: { order: 'o1' },
                  onDone: { target: 'sent', actions: assign({ parcel: ({ event }) => event.output }) },
                },
              },
              sent: { type: 'final' },
            },
          },
        },
        onDone: 'complete',
      },
      complete: { type: 'final', entry: ({ context }) => console.log('complete', context.parcel) },
      failed: { type: 'final', entry: [() => console.log('failed'), { type: 'unknownToAll' } as never] },
    },
    output: ({ context }) => context,
  })
  .provide({
    actions: {
      unknownToAll: ({ event }: { event: { type: string } }) => console.log('because of', event.type),
    },
  } as never);

/** Charts of XState's own documentation, and what it says of each of their features. */
export const documentation: readonly Scenario[] = [
  {
    name: 'toggle, with inline actions',
    chart: toggle,
    course: [send('toggle'), send('toggle'), send('toggle')],
  },
  { name: 'feedback, good', chart: feedback, course: [send('feedback.good'), { wait: 4_999 }, { wait: 1 }] },
  {
    name: 'feedback, bad, by wildcards',
    chart: feedback,
    course: [
      send('feedback.bad'),
      send('feedback.submit'),
      send('feedback.update', { value: 'too slow' }),
      send('feedback.submit'),
      { wait: 5_000 },
    ],
  },
  {
    name: 'feedback, closed',
    chart: feedback,
    course: [send('feedback.bad'), send('back'), send('feedback.close')],
  },
  {
    name: 'traffic light, with delays by name and by function',
    chart: trafficLight,
    course: [{ wait: 3_000 }, { wait: 1_000 }, { wait: 500 }, { wait: 500 }, { wait: 500 }, { wait: 3_000 }],
  },
  {
    name: 'traffic light, power outage',
    chart: trafficLight,
    course: [
      { wait: 3_000 },
      { wait: 1_000 },
      send('POWER_OUTAGE'),
      { wait: 60_000 },
      send('POWER_RESTORED'),
      { wait: 1_500 },
    ],
  },
  {
    name: 'fetch, with retries by delays',
    chart: fetching,
    course: [
      send('FETCH'),
      { fails: 'fetchUser', message: 'offline' },
      { wait: 200 },
      { fails: 'fetchUser', message: 'offline' },
      { wait: 400 },
      { done: 'fetchUser', output: { name: 'David', tags: [1, null] } },
    ],
  },
  {
    name: 'fetch, cancelled and timed out',
    chart: fetching,
    course: [
      send('FETCH'),
      send('CANCEL'),
      send('FETCH'),
      { wait: 30_000 },
      send('RETRY'),
      { done: 'fetchUser', output: 7 },
    ],
  },
  {
    name: 'parallel upload and download',
    chart: upload,
    course: [send('UPLOAD.START'), { done: 'send' }, send('DOWNLOAD.COMPLETE')],
  },
  {
    name: 'payment, with shallow and deep history',
    chart: payment,
    course: [
      send('SWITCH_CHECK'),
      send('SIGN'),
      send('NEXT'),
      send('PREVIOUS'),
      send('SIGN'),
      send('NEXT'),
      send('BACK'),
      send('NEXT'),
      send('PAY'),
    ],
  },
  { name: 'delayed raise', chart: reminder, course: [{ wait: 4_000 }, { wait: 6_000 }] },
  {
    name: 'delayed raise, cancelled',
    chart: reminder,
    course: [{ wait: 4_000 }, send('done'), { wait: 10_000 }, { wait: 10_000 }],
  },
  {
    name: 'enqueueActions, emit, always, combined guards and wildcards',
    chart: playerChart,
    input: { start: 1 },
    course: [send('AWARD'), send('WHO_IS_IT'), send('AWARD')],
  },
  { name: 'a game that is lost', chart: playerChart, input: { start: 1 }, course: [send('FOUL')] },
  {
    name: 'a machine within a parallel state',
    chart: order,
    course: [{ wait: 1_000 }, { done: 'charge' }, { done: 'ship', output: 'p1' }],
  },
  {
    name: 'a machine within a parallel state, left by an error',
    chart: order,
    course: [{ wait: 1_000 }, { fails: 'charge', message: 'no money' }],
  },
  {
    name: 'a machine whose service fails without onError',
    chart: order,
    course: [{ wait: 1_000 }, { fails: 'ship', message: 'no van' }],
  },
];
