import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ClientRun } from '#src/client/index.ts';
import type { PendingView } from '#src/protocol/views.ts';
import { runEvents } from '../../data/run-events.ts';
import { isFlow } from '../../data/runs.ts';
import { ask, useRequest } from '../../data/use-request.ts';

/** How often a waiting sub-run is read: the page watches the events of the run above it alone. */
const subRunMs = 1_500;
/** The run as the page has it may lag behind a decision: for this long, a decided question is not shown again. */
const settledMs = 3_000;

/** What became of the question that was shown last, when it was not decided here. */
export interface DecidedElsewhere {
  callId: string;
  verdict: string;
  at: number;
}

export interface Asking {
  /** The run of the conversation, as it was read last. */
  top: ClientRun | null;
  /** The run that asks: the one of the conversation, or a sub-run of it. */
  run: ClientRun | null;
  question: PendingView | null;
  /** The place of the question among those of this stop. */
  n: number;
  m: number;
  elsewhere: DecidedElsewhere | null;
  /** The person decided, and whether that counts. */
  settled(question: PendingView, decision?: { stands: boolean }): void;
  /** Reads the run again. */
  reload(): Promise<void>;
  dismiss(): void;
}

/** Tells one question from another, also of the same call. */
export function keyOfQuestion(runId: string, { callId, kind, argumentsHash, question }: PendingView): string {
  return JSON.stringify([runId, callId, kind, argumentsHash, question?.text]);
}

/** The questions of a run to a person, one at a time, and what became of one that was decided elsewhere. */
export function useAsking(run: ClientRun | null): Asking {
  // Questions of runs below a workflow come and go without an event of its own.
  const isWaiting = run !== null && isFlow(run) && run.outcome === null;
  // That a device performs a call is no event of its own, either.
  const isRead = isWaiting || (run?.pending.some(({ kind }) => kind === 'client') ?? false);
  const read = useRequest('run.get', isRead && run ? { runId: run.runId } : null, { everyMs: subRunMs });
  const top = (isRead ? read.data : null) ?? run;
  const settledAt = useRef(new Map<string, number>());
  const isOpenIn = (of: string) => (question: PendingView) => {
    const at = settledAt.current.get(keyOfQuestion(of, question));
    return at === undefined || Date.now() - at > settledMs;
  };
  const waiting = top?.pending.filter((one) => isOpenIn(one.runId ?? top.runId)(one)) ?? [];
  const below = top?.pending.length === 0 ? top.waitsFor : waiting[0]?.runId;
  const subRun = useRequest('run.get', below === undefined ? null : { runId: below }, { everyMs: subRunMs });
  const [newer, setNewer] = useState<{ than: ClientRun | undefined; run: ClientRun } | null>(null);
  const [, redraw] = useState(0);
  const [elsewhere, setElsewhere] = useState<DecidedElsewhere | null>(null);
  const seen = useRef<{ runId: string; calls: string[] }>({ runId: '', calls: [] });
  const isMounted = useRef(true);
  const shown = useRef<{ runId: string; question: PendingView } | null>(null);

  const base = below === undefined ? (top ?? undefined) : subRun.data;
  const asking = newer !== null && newer.than === base ? newer.run : (base ?? null);
  const runId = asking?.runId ?? '';
  // A workflow shows the questions of the runs below it, too.
  const open = asking?.pending.filter((one) => one.runId === undefined && isOpenIn(runId)(one)) ?? [];
  const question = open[0] ?? null;

  // Of a workflow, those of all its runs are counted together.
  const stop = isWaiting ? run.runId : runId;
  const calls = (isWaiting ? waiting : open).map((one) => `${one.runId ?? runId} ${one.callId}`);
  // Where none of those that were seen is open, these are of a later stop.
  const isSame = seen.current.runId === stop && seen.current.calls.some((call) => calls.includes(call));
  if (!isSame) seen.current = { runId: stop, calls: [] };
  for (const call of calls) if (!seen.current.calls.includes(call)) seen.current.calls.push(call);
  const { calls: counted } = seen.current;

  const reload = useCallback(async () => {
    if (base === undefined) return;
    setNewer({ than: base, run: await ask('run.get', { runId: base.runId }) });
  }, [base]);

  const tell = (of: string, about: PendingView, isTried: boolean) =>
    void resolutionOf(of, about).then((found) => {
      // Who tried to decide reads it in any case; others read what is asked next.
      if (isMounted.current && (isTried || shown.current === null)) setElsewhere(found);
    });
  useEffect(() => {
    const last = shown.current;
    shown.current = question === null ? null : { runId, question };
    if (last === null && question !== null) setElsewhere(null);
    if (last === null || (last.runId === runId && last.question.callId === question?.callId)) return;
    if (settledAt.current.has(keyOfQuestion(last.runId, last.question))) return;
    if (question !== null) setElsewhere(null);
    // Otherwise a person went to another conversation.
    if (last.runId === runId || (run !== null && isSubRunOf(run, last.runId)))
      tell(last.runId, last.question, false);
  });
  useEffect(
    () => () => {
      isMounted.current = false;
    },
    [],
  );

  return {
    top,
    run: asking,
    question,
    n: question === null ? 0 : counted.indexOf(`${runId} ${question.callId}`) + 1,
    m: counted.length,
    elsewhere,
    settled(settled, decision) {
      settledAt.current.set(keyOfQuestion(runId, settled), Date.now());
      if (decision?.stands === false) tell(runId, settled, true);
      else setElsewhere(null);
      setTimeout(() => redraw((n) => n + 1), settledMs + 50);
      redraw((n) => n + 1);
    },
    reload,
    dismiss: () => setElsewhere(null),
  };
}

function isSubRunOf(run: ClientRun, runId: string): boolean {
  if (isFlow(run)) return runId.startsWith(`${run.runId}.`);
  return run.steps.some(({ toolCalls }) => toolCalls.some(({ subRun }) => subRun?.runId === runId));
}

/** The events that settle a question of each kind. */
const resolving = ['tool.confirm_resolved', 'question.answered', 'tool.client_resolved'];

async function resolutionOf(runId: string, { callId }: PendingView): Promise<DecidedElsewhere | null> {
  try {
    const events = await runEvents(runId);
    const last = events.findLast(
      ({ event, payload }) => resolving.includes(event) && 'callId' in payload && payload.callId === callId,
    );
    if (!last || !('verdict' in last.payload)) return null;
    return { callId, verdict: String(last.payload.verdict), at: last.at };
  } catch {
    // Without an answer of the gateway, the dock closes without saying why.
    return null;
  }
}
