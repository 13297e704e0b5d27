import { setup } from 'xstate';
import { owning } from './own-action.ts';
import type { RunFailure, RunOutput } from './run.types.ts';

/** Stored with every takeover. Raise it with any change of states, effects or context. */
export const takeoverMachineVersion = 1;

export interface TakeoverInput {
  /** Who takes over, as decisions name people; null while nobody does. */
  by: string | null;
  /** Whether the user waits for an answer to words from before. */
  isUnanswered: boolean;
  /** How long it lasts after the last act of the staff, in milliseconds. */
  expiresMs: number;
}

export interface TakeoverContext {
  by: string | null;
  /** Milliseconds since the epoch; 0 while nobody has taken over. */
  since: number;
  /** Whether the last words are the user's. */
  isUnanswered: boolean;
  expiresMs: number;
  end: RunOutput | null;
}

type TakeoverEvent = { at: number } & (
  | { type: 'run.start' | 'run.message' | 'run.resumed' | 'timer.takeover' }
  | { type: 'run.cancel'; reason?: string }
  | ({ type: 'run.faulted' } & Pick<RunFailure, 'code' | 'message'>)
  | { type: 'takeover.take'; by: string }
  | { type: 'staff.say'; text: string; by: string; name?: string }
  | { type: 'takeover.giveBack'; by: string }
);

type EventOf<T extends TakeoverEvent['type']> = Extract<TakeoverEvent, { type: T }>;

const host = setup({
  types: {
    context: {} as TakeoverContext,
    events: {} as TakeoverEvent,
    input: {} as TakeoverInput,
    output: {} as RunOutput,
  },
  actions: {
    'timer.set': (_, _params: { id: 'takeover'; event: 'timer.takeover'; delayMs: number }) => {},
    'timer.clear': (_, _params: { id: 'takeover' }) => {},
    /** Writes what the staff says. */
    'staff.write': (_, _params: { text: string; by: string; name?: string }) => {},
    /** Makes the run that answers the last words of the user. */
    'run.begin': (_) => {},
  },
});

const own = owning(host);

const takeoverSetup = host.extend({
  actions: {
    ...own.assignAll({
      start: ({ context, event }) => (context.by === null ? {} : { since: event.at }),
      take: ({ event }) => ({ by: (event as EventOf<'takeover.take'>).by, since: event.at }),
      noteWords: () => ({ isUnanswered: true }),
      noteAnswer: () => ({ isUnanswered: false }),
      complete: () => ({ end: { outcome: 'completed' as const, error: null } }),
      noteCancel: () => ({ end: { outcome: 'cancelled' as const, error: null } }),
      noteFault({ event }) {
        const { code, message } = event as EventOf<'run.faulted'>;
        return { end: { outcome: 'internal_error' as const, error: { code, message, retryable: false } } };
      },
    } satisfies Record<
      string,
      (_: { context: TakeoverContext; event: TakeoverEvent }) => Partial<TakeoverContext>
    >),
    write: own.enqueueActions(({ event, enqueue }) => {
      const { text, by, name } = event as EventOf<'staff.say'>;
      enqueue({ type: 'staff.write', params: { text, by, ...(name !== undefined && { name }) } });
    }),
  },
  guards: {
    isTaken: ({ context }) => context.by !== null,
    isUnanswered: ({ context }) => context.isUnanswered,
  },
});

const expires = ({ context }: { context: TakeoverContext }) =>
  ({ id: 'takeover', event: 'timer.takeover', delayMs: context.expiresMs }) as const;

/** The agent goes on: with an answer, if the user waits for one. */
const givenBack = [
  { guard: 'isUnanswered', target: '.done', actions: ['complete', 'run.begin'] },
  { target: '.done', actions: 'complete' },
] as const;

/**
 * A person of the staff speaks in a session in place of its agent: what can happen, and when. It is the first run of the
 * session's lane, so no agent runs there as long as it lasts; it has no effects and asks no model.
 *
 * Pure: it imports only xstate; time and ids arrive in events.
 */
export const takeoverMachine = takeoverSetup.createMachine({
  id: 'takeover',
  context: ({ input }) => ({ ...input, since: 0, end: null }),
  output: ({ context }) => context.end ?? { outcome: 'internal_error', error: null },
  initial: 'idle',
  on: {
    'run.message': { actions: 'noteWords' },
    'takeover.giveBack': [...givenBack],
    'timer.takeover': [...givenBack],
    'run.cancel': { target: '.cancelled', actions: 'noteCancel' },
    'run.faulted': { target: '.failed', actions: 'noteFault' },
  },
  states: {
    idle: {
      description: 'The run that asked for a person says its last words.',
      entry: { type: 'timer.set', params: expires },
      exit: { type: 'timer.clear', params: { id: 'takeover' } },
      on: {
        'run.start': [{ guard: 'isTaken', target: 'taken', actions: 'start' }, { target: 'waiting' }],
        'takeover.take': { target: 'taken', actions: 'take' },
      },
    },
    waiting: {
      description: 'Nobody of the staff has come yet.',
      tags: 'waiting',
      entry: { type: 'timer.set', params: expires },
      exit: { type: 'timer.clear', params: { id: 'takeover' } },
      on: { 'takeover.take': { target: 'taken', actions: 'take' } },
    },
    taken: {
      description: 'A person of the staff speaks with the user.',
      tags: 'waiting',
      entry: { type: 'timer.set', params: expires },
      exit: { type: 'timer.clear', params: { id: 'takeover' } },
      on: { 'staff.say': { target: 'taken', reenter: true, actions: ['noteAnswer', 'write'] } },
    },
    done: { type: 'final' },
    failed: { type: 'final' },
    cancelled: { type: 'final' },
  },
});
