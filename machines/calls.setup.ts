import type { CallsChange, CallsContext, EventOf } from './calls.rules.ts';
import * as rules from './calls.rules.ts';
import type { EndingCode } from './run.endings.ts';
import { endings } from './run.endings.ts';
import type { CloseCode, QuestionCloseCode, RunEvent, RunTimerName } from './run.types.ts';

/**
 * The actions that the host of a chart with calls performs. `effect.runTool` is work; the host answers it with a fact that has
 * its `effectId`. All others are rows that the host writes in the commit of the transition.
 */
export const callActions = {
  'effect.runTool': (_: unknown, _params: { effectId: number }) => {},
  /** Stores the arguments of calls that wait for a person or for their turn. */
  'effect.hold': (_: unknown, _params: { ids: number[] }) => {},
  'effect.abort': (_: unknown, _params: { ids: number[] }) => {},
  'timer.set': (
    _: unknown,
    _params: { id: RunTimerName; event: `timer.${RunTimerName}`; delayMs: number },
  ) => {},
  'timer.clear': (_: unknown, _params: { id: RunTimerName }) => {},
  /** `question`: asks the question in the event; the call keeps running. */
  'confirm.request': (
    _: unknown,
    _params: { kind: 'confirm' | 'question' | 'reconcile'; calls: number[] },
  ) => {},
  /** Withdraws the questions of running calls, which continue without an answer. */
  'question.close': (_: unknown, _params: { calls: number[]; code: QuestionCloseCode }) => {},
  /** Writes the result of calls that will not run, or whose outcome a person decided. */
  'call.close': (_: unknown, _params: { calls: number[]; code: CloseCode }) => {},
};

type Requested = {
  [Type in keyof typeof callActions]: { type: Type; params: Parameters<(typeof callActions)[Type]>[1] };
}[keyof typeof callActions];

interface Happening {
  context: CallsContext;
  event: RunEvent;
}

interface Collecting extends Happening {
  enqueue: { (action: Requested): void; assign(change: CallsChange): void };
}

/** What actions on calls change, by the names that they have in the charts. */
export const changes = {
  startClock: ({ event }: Happening) => ({ since: event.at }),
  stopClock: ({ context, event }: Happening) => ({ spentMs: rules.workedMs(context, event.at) }),
  /** Time without a driver does not count as working time. */
  skipDowntime({ context, event }: Happening) {
    const { at, lastAt } = event as EventOf<'run.resumed'>;
    return { spentMs: rules.workedMs(context, lastAt), since: at };
  },
  parkCall: ({ context, event }: Happening) => rules.park(context, event as EventOf<'subrun.parked'>),
  unparkCalls: ({ context, event }: Happening) =>
    rules.markStarted(context, rules.unparkedBy(context, event)),
  markUncertain: ({ context, event }: Happening) =>
    rules.markUncertain(context, event as EventOf<'tool.uncertain'>),
  noteFault({ event }: Happening) {
    const { code, message } = event as EventOf<'run.faulted'>;
    return { end: { outcome: 'internal_error' as const, error: { code, message, retryable: false } } };
  },
  noteCancel: () => ({ end: { outcome: 'cancelled' as const, error: null } }),
};

/** What actions on calls change and request, one after the other. */
export const collections = {
  /** Sets the deadline again when a parked call resumes or ends. */
  resumeClock({ context, event, enqueue }: Collecting) {
    const calls = rules.unparkedBy(context, event);
    if (calls.length === 0) return;
    const change = {
      spentMs: rules.workedMs(context, event.at),
      since: event.at,
      ...rules.markStarted(context, calls),
    };
    enqueue.assign(change);
    enqueue({ type: 'timer.set', params: rules.deadline({ ...context, ...change }) });
  },
  noteQuestion({ context, event, enqueue }: Collecting) {
    const asked = event as EventOf<'tool.asked'>;
    enqueue.assign(rules.markAsking(context, asked));
    enqueue({ type: 'confirm.request', params: { kind: 'question', calls: [asked.callId] } });
  },
  /** Closes the open question of a call that has ended. */
  dropQuestion({ context, event, enqueue }: Collecting) {
    const { effectId } = event as EventOf<'tool.done' | 'tool.failed'>;
    const calls = rules.idsIn(context, 'asking').filter((id) => id === effectId);
    if (calls.length > 0) enqueue({ type: 'question.close', params: { calls, code: 'CANCELLED' } });
  },
  requestDecisions({ context, enqueue }: Collecting) {
    const calls = rules.idsIn(context, 'asked');
    if (calls.length > 0) enqueue({ type: 'confirm.request', params: { kind: 'confirm', calls } });
  },
  requestReconciliation({ context, enqueue }: Collecting) {
    enqueue({
      type: 'confirm.request',
      params: { kind: 'reconcile', calls: rules.idsIn(context, 'uncertain') },
    });
  },
  applyDecision({ context, event, enqueue }: Collecting) {
    const decision = event as EventOf<'confirm.decide'>;
    const { callId } = decision;
    // An asking call continues, answered or not; the result of its question says which.
    if (rules.idsIn(context, 'asking').includes(callId))
      return enqueue.assign(rules.markStarted(context, [callId]));
    if (decision.verdict === 'approve' || decision.verdict === 'modify')
      return enqueue.assign(rules.markReady(context, decision));
    // Anything else counts as a rejection, whatever the entry let through.
    enqueue.assign(rules.drop(context, [callId]));
    enqueue({ type: 'call.close', params: { calls: [callId], code: 'REJECTED_BY_USER' } });
  },
  applyReconciliation({ context, event, enqueue }: Collecting) {
    const word = event as EventOf<'tool.reconcile'>;
    const { callId, verdict } = word;
    if (verdict === 'retry') return enqueue.assign(rules.markReady(context, word));
    enqueue.assign(rules.drop(context, [callId]));
    const code = verdict === 'ran' ? 'RECONCILED' : 'SKIPPED';
    enqueue({ type: 'call.close', params: { calls: [callId], code } });
  },
  expireAsked({ context, enqueue }: Collecting) {
    const calls = rules.idsIn(context, 'asked');
    const asking = rules.idsIn(context, 'asking');
    enqueue.assign(rules.drop(rules.markStarted(context, asking), calls));
    if (calls.length > 0) enqueue({ type: 'call.close', params: { calls, code: 'EXPIRED' } });
    if (asking.length > 0) enqueue({ type: 'question.close', params: { calls: asking, code: 'EXPIRED' } });
  },
  expireUncertain({ context, enqueue }: Collecting) {
    const calls = rules.idsIn(context, 'uncertain');
    enqueue.assign(rules.drop(context, calls));
    enqueue({ type: 'call.close', params: { calls, code: 'OUTCOME_UNKNOWN' } });
  },
};

/** Aborts the calls in flight and gives every open call a result, so that a finished run has no unpaired call. */
export function closeCalls(
  { context, enqueue }: Pick<Collecting, 'context' | 'enqueue'>,
  inFlight: number[] = rules.idsAtWork(context),
): void {
  if (inFlight.length > 0) enqueue({ type: 'effect.abort', params: { ids: inFlight } });
  const close = (calls: number[], code: CloseCode) => {
    if (calls.length > 0) enqueue({ type: 'call.close', params: { calls, code } });
  };
  close(rules.idsAtWork(context), 'ABORTED');
  close(rules.idsIn(context, 'asked', 'ready'), 'CANCELLED');
  close(rules.idsIn(context, 'uncertain'), 'OUTCOME_UNKNOWN');
}

/** The end of a run by its own rules. */
export function ending(code: EndingCode) {
  const [outcome, message] = endings[code];
  return { end: { outcome, error: { code, message, retryable: false } } };
}

/** Whether a chart with calls takes an event, by the names of its guards. */
export const callGuards = {
  isStartedCall: ({ context, event }: Happening) => rules.isStartedCall(context, event),
  isAskingCall: ({ context, event }: Happening) => rules.isAskingCall(context, event),
  mayPark: ({ context, event }: Happening) => rules.mayPark(context, event),
  isParkedCall: ({ context, event }: Happening) => rules.isParkedCall(context, event),
  isAskedCall: ({ context, event }: Happening) => rules.isAskedCall(context, event),
  isUncertainCall: ({ context, event }: Happening) => rules.isUncertainCall(context, event),
  hasAsked: ({ context }: Happening) => rules.idsAsked(context).length > 0,
  hasStarted: ({ context }: Happening) => rules.idsIn(context, 'started', 'parked').length > 0,
  hasUncertain: ({ context }: Happening) => rules.idsIn(context, 'uncertain').length > 0,
  hasReady: ({ context }: Happening) => rules.idsIn(context, 'ready').length > 0,
};
