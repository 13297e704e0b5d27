import type { Detent, PendingView, RunDelta, RunEvent, RunView } from '../../index.ts';
import type { Caller } from '../../protocol/access.ts';
import { unfinishedStatuses } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { inClientWords, isOperator } from '../access/client-words.ts';
import type { Feeds } from '../feeds/feeds.ts';
import type { Outgoing } from '../feeds/outgoing.ts';

interface Following {
  detent: Detent;
  feeds: Feeds;
  caller: Caller;
  runId: string;
  /** Only later events are passed on. */
  afterSeq: number;
  /** How long to wait for a person. */
  personMs: number;
  /** Aborts when the client has gone, or the gateway closes. */
  signal: AbortSignal;
  onEvent(event: RunEvent | RunDelta): void;
  /** Whether the reader needs no more events: the client must act. Asked after each event. */
  isOver(): boolean;
  /** Whether the reader can take more. */
  ready?(): Promise<boolean>;
}

/**
 * Why following a run ended: it has ended, it waits for a person, the client must act, or the client has gone. The run is never
 * changed.
 */
type Followed = { kind: 'ended' | 'waits'; view: RunView } | { kind: 'over' | 'gone' };

/** Passes the events of a run on until it has ended, `isOver` says so, or it has waited for a person for too long. */
export async function followRun(options: Following): Promise<Followed> {
  const { detent, feeds, caller, runId, afterSeq, personMs, signal, onEvent, isOver, ready } = options;
  const state = { events: 0, isOver: false, error: undefined as unknown, wake: () => {} };
  const { promise: left, resolve: leave } = Promise.withResolvers<'over' | 'gone'>();
  const stop = feeds.watch(caller, runId, afterSeq, {
    send({ event }: Outgoing) {
      if (isOver()) return;
      onEvent(event);
      if (isOver()) leave('over');
      state.events++;
      state.wake();
    },
    ready: () => ready?.() ?? true,
    end(error) {
      state.isOver = true;
      state.error = error;
      state.wake();
    },
  });
  if (signal.aborted) leave('gone');
  signal.addEventListener('abort', () => leave('gone'), { once: true });
  /** Resolves with whether it came to hold. */
  const until = (holds: () => boolean, timeoutMs?: number) => {
    let timer: NodeJS.Timeout | undefined;
    const held = new Promise<boolean>((resolve) => {
      const look = () => (holds() ? resolve(true) : undefined);
      state.wake = look;
      if (timeoutMs !== undefined) timer = setTimeout(() => resolve(false), timeoutMs).unref();
      look();
    });
    return Promise.race([left, held]).finally(() => clearTimeout(timer));
  };
  try {
    for (;;) {
      const found = await Promise.race([left, detent.runs.attach(runId, caller.tenantId).result]);
      if (typeof found === 'string') return { kind: found };
      const view = viewFor(caller, found);
      const seen = state.events;
      const isEnded = view.outcome !== null;
      // The last events may still be on their way.
      const hasMoved = isEnded
        ? await until(() => state.isOver)
        : await until(() => state.isOver || state.events > seen, personMs);
      if (typeof hasMoved === 'string') return { kind: hasMoved };
      if (state.error !== undefined) throw state.error;
      if (isEnded) return { kind: 'ended', view };
      if (!hasMoved) return { kind: 'waits', view };
    }
  } finally {
    stop();
  }
}

/** A run with its error in the words for the caller. */
export function viewFor(caller: Caller, view: RunView): RunView {
  return view.error && !isOperator(caller) ? { ...view, error: inClientWords(view.error) } : view;
}

/** What a client is told when the run did not end in the time of its request. */
export async function notEnded(
  { detent, tenantId, prefix }: { detent: Detent; tenantId: number; prefix: string },
  view: RunView,
): Promise<DetentError> {
  const { runId, sessionId, status } = view;
  const ahead = status === 'queued' ? await headOf(detent, tenantId, sessionId) : null;
  const cause =
    ahead && ahead.runId !== runId
      ? `is queued behind run ${ahead.runId} of its session, which ${causeOf(ahead, prefix)}; or end that run with POST ${prefix}/api/v1/runs/${ahead.runId}/cancel`
      : causeOf(view, prefix);
  return new DetentError(
    'RUN_WAITS',
    `run ${runId} ${cause}; then it continues, and GET ${prefix}/api/v1/runs/${runId} returns its answer`,
    { details: { runId, status } },
  );
}

/** The run that the others of its session wait for. */
async function headOf(detent: Detent, tenantId: number, sessionId: string): Promise<RunView | null> {
  const oldest = (await detent.runs.list({ sessionId, tenantId, status: unfinishedStatuses })).at(-1);
  return oldest ? detent.runs.show(oldest.runId, tenantId) : null;
}

function causeOf({ runId, status, pending, waitsFor }: RunView, prefix: string): string {
  const asking = waitsFor ?? runId;
  const place = `${prefix}/api/v1/runs/${asking}`;
  // A person can decide at any time, while a client may be gone.
  const first = pending.find(({ kind }) => kind !== 'client') ?? pending[0];
  if (first) {
    const { kind, callId, name } = first;
    const who = kind === 'client' ? 'its client: give the result of' : personMust(kind);
    return `waits for ${who} call ${callId} (${name}) with POST ${place}/${resourceFor(kind)}/${callId}, or "detent runs confirm ${asking} ${callId}"`;
  }
  if (waitsFor !== undefined)
    return `waits for a person in its sub-run ${waitsFor}: see GET ${place}, or "detent runs show ${waitsFor}"`;
  return `is ${status}: see "detent runs why ${runId}"`;
}

function personMust(kind: PendingView['kind']): string {
  return `a person: ${kind === 'question' ? 'answer' : 'decide on'}`;
}

function resourceFor(kind: PendingView['kind']): string {
  if (kind === 'client') return 'results';
  if (kind === 'question') return 'answers';
  return kind === 'confirm' ? 'confirmations' : 'reconciliations';
}

/** The run did not give an answer. */
export function failed({ runId, status, outcome, error }: RunView): DetentError {
  const code = error?.code ?? (status === 'cancelled' ? 'CANCELLED' : 'RUN_FAILED');
  const what = error?.message ?? `the run ended as ${outcome}`;
  return new DetentError('RUN_FAILED', `${code}: ${what} (run ${runId})`, { details: { runId, code } });
}
