import { noTokens } from '../../protocol/content.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type {
  FlowTimerView,
  PendingView,
  ServiceView,
  WorkflowRunView,
  WorkflowView,
} from '../../protocol/views.ts';
import type { RunRow, TimerRow } from '../../store/rows.ts';
import { callName } from '../../store/stored-call.ts';
import {
  type FlowContext,
  type FlowError,
  flowContextOf,
  flowOutputOf,
  type OpenService,
  subRunId,
  workflowId,
  workflowOptionsOf,
} from '../../store/stored-run.ts';
import { kindOf } from '../kinds/kind-of.ts';
import { waitsUntil } from '../rows/expiries.ts';
import { type IsDriven, statusAmongRuns } from '../rows/run-status.ts';
import { shownSpent } from '../rows/spent-by.ts';
import type { Store } from '../rows/statements.ts';
import { parentOf, runsBelow } from '../rows/sub-run-rows.ts';
import { taintedView, taintOfFlow } from '../rows/taint-of-run.ts';
import { pendingOf } from '../story/pending-view.ts';
import { readQuestions, readStory } from '../story/read-story.ts';
import { type NameOf, readNames, timerWords } from './flow-names.ts';

/** The view of a workflow's run, from its rows: it needs no chart. */
export async function readFlowView(store: Store, row: RunRow, isDriven: IsDriven): Promise<WorkflowRunView> {
  const run = row.pk;
  const output = flowOutputOf(row);
  const timers = await store.query('listTimers', { run });
  const { states, questions } = await readStory(store, row);
  return {
    runId: row.id,
    sessionId: row.sessionKey,
    createdAt: row.createdAt,
    ...(row.ended && { endedAt: row.updatedAt }),
    ...parentOf(workflowOptionsOf(row)),
    ...(await statusAmongRuns(store, row, isDriven)),
    ...waitsUntil(timers),
    outcome: output?.outcome ?? null,
    text: '',
    ...(output?.output !== undefined && { output: output.output }),
    // Its services have runs and models of their own.
    usage: { ...noTokens, costUsd: null },
    states,
    steps: [],
    ...taintedView(row, taintOfFlow(row)),
    pending: [...pendingOf(questions), ...(await pendingBelow(store, row))],
    error: output?.outcome === 'failed' && output.error ? shownError(output.error) : null,
    workflow: await workflowView(store, row, timers, isDriven),
  };
}

async function workflowView(
  store: Store,
  row: RunRow,
  timers: readonly TimerRow[],
  isDriven: IsDriven,
): Promise<WorkflowView> {
  const flow = flowContextOf(row);
  const output = flowOutputOf(row)?.output;
  const nameOf = (timers.length > 0 && (await readNames(store, row))) || callName;
  return {
    id: workflowId(row),
    version: row.version,
    state: JSON.parse(row.state) as JsonValue,
    context: flow.user,
    input: JSON.parse(row.input) as JsonValue,
    ...(output !== undefined && { output }),
    services: await servicesOf(store, row, flow, timers, isDriven),
    timers: timers.map((timer) => timerView(timer, nameOf)).sort(byTime),
    spent: await shownSpent(store, row),
  };
}

function byTime(a: { dueAt: number }, b: { dueAt: number }): number {
  return a.dueAt - b.dueAt;
}

function timerView({ event, dueAt }: TimerRow, nameOf: NameOf): FlowTimerView {
  return { name: timerWords({ event }, nameOf), event, dueAt };
}

const statuses: Partial<Record<OpenService['kind'], ServiceView['status']>> = {
  uncertain: 'uncertain',
  retry: 'retrying',
};

async function servicesOf(
  store: Store,
  row: RunRow,
  { open }: FlowContext,
  timers: readonly TimerRow[],
  isDriven: IsDriven,
): Promise<ServiceView[]> {
  const services: ServiceView[] = [];
  for (const { kind, id, n, src, attempt } of row.ended ? [] : open) {
    const again = kind === 'retry' ? timers.find((timer) => timer.id === `retry.${n}`) : undefined;
    const child = kind === 'run' ? await childOf(store, row, n, isDriven) : null;
    services.push({
      id,
      src,
      kind: kind === 'action' ? 'action' : 'service',
      effect: n,
      callId: callName(n),
      attempt,
      status: statuses[kind] ?? 'open',
      ...(again && { retryAt: again.dueAt }),
      ...(child && { run: child }),
    });
  }
  return services;
}

async function childOf(
  store: Store,
  { tenant, id }: RunRow,
  n: number,
  isDriven: IsDriven,
): Promise<NonNullable<ServiceView['run']> | null> {
  const child = await store.query('loadRun', { tenant, id: subRunId(id, n) });
  if (!child) return null;
  const { outcome } = kindOf(child).asked(child);
  return { runId: child.id, ...(await statusAmongRuns(store, child, isDriven)), outcome };
}

/** The open questions of the runs that it waits for. */
async function pendingBelow(store: Store, row: RunRow): Promise<PendingView[]> {
  const pending: PendingView[] = [];
  for await (const child of runsBelow(store, row))
    for (const own of pendingOf(await readQuestions(store, child))) pending.push({ runId: child.id, ...own });
  return pending;
}

function shownError({ code, message }: FlowError): { code: string; message: string; retryable: boolean } {
  return { code, message, retryable: false };
}
