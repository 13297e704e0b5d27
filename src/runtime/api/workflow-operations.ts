import { isRepeated } from '../../engine/commit.ts';
import { readEffects } from '../../engine/log.ts';
import { type EngineEvent, packed } from '../../engine/machine.ts';
import { isReserved } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject, type JsonValue, shown } from '../../protocol/json.ts';
import type { OfCommand } from '../../runs/rows.ts';
import type { ConfirmDecision, DecisionResult } from '../../runs/runs.ts';
import { readQuestions } from '../../runs/views.ts';
import type { RunRow } from '../../store/rows.ts';
import { callName, isOpen, type Question } from '../../store/stored-call.ts';
import {
  flowContextOf,
  isWorkflowRun,
  type OpenService,
  subRunId,
  workflowId,
} from '../../store/stored-run.ts';
import { answerNames, shellWord } from '../../text/wording.ts';
import { eventSchema, nodesOf, payloadSchema, printed } from '../../workflow/check.ts';
import { eventsFrom, servicesOf } from '../../workflow/facade.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import type { FlowParts } from '../config/flow-parts.ts';
import type { WorkflowAnswer, WorkflowSummary } from '../config/workflow-request.ts';
import { fitted } from '../requests/start-workflow.ts';

interface Sent extends OfCommand {
  tenant: number;
  runId: string;
  event: { type: string };
  by?: string;
}

/** @throws DetentError as `DetentWorkflows.send` says. */
export async function sendToWorkflow(
  { runs, workflows, redact }: FlowParts,
  { tenant, runId, event, key, requestId, by }: Sent,
): Promise<boolean> {
  const row = await workflowRow(runs, tenant, runId);
  const { type } = isObject(event) ? (event as { type?: unknown }) : {};
  if (typeof type !== 'string' || type === '')
    throw new DetentError('INVALID_EVENT', `an event is an object with a type, not ${shown(event)}`);
  if (isReserved(type))
    throw new DetentError(
      'RESERVED_EVENT',
      `"${type}" is an event that Detent sends itself${type === 'run.cancel' ? `; cancel the run with "detent runs cancel ${runId}", or runs.cancel() in a program` : ''}`,
      { details: { type } },
    );
  const schema = eventSchema(
    workflows.declared.find(({ id }) => id === workflowId(row)),
    type,
  );
  const fit = await fitted(schema, event, 'INVALID_EVENT', `event "${type}"`);
  const plain = JSON.parse(redact(JSON.stringify(fit))) as JsonValue;
  const sent: EngineEvent = { ...packed({ ...(isObject(plain) ? plain : {}), type }, by), type };
  const notes = requestId === undefined ? undefined : { requestId, effect: { taken: true } };
  const kind = await runs.send(row, sent, { key, notes });
  return kind === 'moved' || kind === 'duplicate';
}

interface Answered extends OfCommand {
  tenant: number;
  runId: string;
  invocation: string;
  answer: WorkflowAnswer;
  by: string | undefined;
}

/** @throws DetentError as `DetentWorkflows.answer` says. */
export async function answerWorkflow(
  { runs, store }: FlowParts,
  { tenant, runId, invocation, answer, key, requestId, by }: Answered,
): Promise<DecisionResult> {
  const row = await workflowRow(runs, tenant, runId);
  const decision = { ...decisionOf(answer), ...(by !== undefined && { by }) };
  // Like any repeated command, it gets the result of the first, even if the chart has left the question or asks again.
  if (key !== undefined && (await hasAnswered(store, row, invocation, key)))
    return { applied: true, verdict: decision.verdict, stands: true };
  const entry = flowContextOf(row).open.find(({ id, kind }) => id === invocation && kind !== 'action');
  const child = entry && (await store.query('loadRun', { tenant, id: subRunId(runId, entry.n) }));
  const questions = child ? await readQuestions(store, child) : [];
  // If it was answered, the run has the answer.
  const last = questions.findLast(isOpen) ?? questions.at(-1);
  if (!child || !last) throw await notWaiting(store, row, invocation, entry);
  checkAnswer(runId, invocation, last, answer);
  return runs.confirm(tenant, child.id, callName(last.call), decision, { key, requestId });
}

/** Whether a run that the invocation began, now or earlier, has a command with this key. */
async function hasAnswered(
  store: FlowParts['store'],
  row: RunRow,
  invocation: string,
  key: string,
): Promise<boolean> {
  for await (const child of runsOf(store, row, invocation))
    if (await store.commit(() => isRepeated(child, { key }))) return true;
  return false;
}

/** The runs that an invocation began, now or earlier. */
async function* runsOf(
  store: FlowParts['store'],
  { pk: run, id: runId, tenant }: RunRow,
  invocation: string,
): AsyncGenerator<RunRow> {
  for await (const { n, name, params } of readEffects(store, run)) {
    if (name !== 'effect.run' || (JSON.parse(params) as { id?: unknown }).id !== invocation) continue;
    const child = await store.query('loadRun', { tenant, id: subRunId(runId, n) });
    if (child) yield child;
  }
}

/** @throws DetentError `WRONG_VERDICT` in the words of the chart: a person knows its invocation, not the call. */
function checkAnswer(
  runId: string,
  invocation: string,
  { kind, status, question }: Question,
  answer: WorkflowAnswer,
): void {
  if (status !== 'open' || (kind !== 'question' && kind !== 'confirm')) return;
  const { verdict } = decisionOf(answer);
  if (verdict === 'reject' || (verdict === 'answer') === (kind === 'question')) return;
  const how = kind === 'confirm' ? '--approve' : question?.fields ? '--form JSON' : '--answer TEXT';
  const what =
    kind === 'confirm' ? 'is to be approved or rejected' : `asks for an answer${answerNames(question)}`;
  throw new DetentError(
    'WRONG_VERDICT',
    `"${invocation}" of run ${runId} ${what}: detent workflow answer ${runId} ${shellWord(invocation)} ${how}, or --reject`,
    { details: { runId, invocation, kind, verdict } },
  );
}

/** Only a literal `approved: true` approves; everything else that is not an answer rejects. */
function decisionOf(answer: WorkflowAnswer): ConfirmDecision {
  if ('answer' in answer) return { verdict: 'answer', answer: answer.answer };
  if ('approved' in answer && answer.approved === true) return { verdict: 'approve' };
  const { reason } = answer;
  return { verdict: 'reject', ...(reason !== undefined && { reason }) };
}

/** Why an invocation takes no answer: what it does instead, how it was answered, or what the run asks. */
async function notWaiting(
  store: FlowParts['store'],
  row: RunRow,
  invocation: string,
  entry: OpenService | undefined,
): Promise<DetentError> {
  const { id: runId } = row;
  const named = `"${invocation}" of run ${runId}`;
  const open = await asking(store, row);
  const instead = {
    action: '',
    step: `${named} is a step: it asks nobody, and its process has not returned its result yet`,
    run: `${named} has not asked yet: resume the run first, with "detent runs resume ${runId}"`,
    retry: `${named} has failed, and begins again later: it asks nobody now`,
    uncertain: `${named} is a step that may have run: say so with "detent runs reconcile ${runId} ${callName(entry?.n ?? 0)}" and --ran, --retry or --skip`,
  };
  const answered = entry ? null : await answerOf(store, row, invocation);
  const asks = `it asks ${open.map((id) => `"${id}"`).join(', ') || 'nothing'} now`;
  return new DetentError(
    'NOT_WAITING',
    entry
      ? instead[entry.kind]
      : answered
        ? `${named} is already answered${answered === 'modified' ? '' : `: ${answered}`}`
        : `run ${runId} does not ask "${invocation}": ${asks}`,
    { details: { runId, invocation, open } },
  );
}

/** The invocations of a run that wait for an answer. */
async function asking(store: FlowParts['store'], row: RunRow): Promise<string[]> {
  const ids: string[] = [];
  for (const { id, kind, n } of flowContextOf(row).open) {
    if (kind !== 'run') continue;
    const child = await store.query('loadRun', { tenant: row.tenant, id: subRunId(row.id, n) });
    if (child && (await readQuestions(store, child)).some(isOpen)) ids.push(id);
  }
  return ids;
}

/** What became of the last question of an invocation that is over; null if it asked none. */
async function answerOf(store: FlowParts['store'], row: RunRow, invocation: string): Promise<string | null> {
  let status: string | null = null;
  for await (const child of runsOf(store, row, invocation))
    status = (await readQuestions(store, child)).at(-1)?.status ?? status;
  return status;
}

async function workflowRow(runs: FlowParts['runs'], tenant: number, runId: string): Promise<RunRow> {
  const row = await runs.row(tenant, runId);
  if (isWorkflowRun(row)) return row;
  throw new DetentError(
    'NOT_A_WORKFLOW',
    runId.includes('.')
      ? `run ${runId} performs a service; send events and answers to the run of the workflow, ${runId.slice(0, runId.lastIndexOf('.'))}`
      : `run ${runId} is not a run of a workflow; see "detent runs show ${runId}"`,
    { details: { runId } },
  );
}

/** What people see of a workflow. */
export function summaryOf(workflow: Workflow): WorkflowSummary {
  const { id, version, hash, chart, options } = workflow;
  const events = eventsFrom(chart);
  const payloads = events.flatMap((type) => {
    const payload = payloadSchema(workflow, type);
    return payload ? [[type, payload] as const] : [];
  });
  const services = servicesOf(chart);
  const invoked = [...nodesOf(chart.root)].flatMap(({ invoke }) =>
    invoke.map(({ id: own, src }) => {
      const name = String(src);
      return { id: own, src: name, kind: services.get(name)?.kind ?? 'unknown' };
    }),
  );
  return {
    id,
    version,
    hash,
    description: chart.root.description ?? '',
    ...printedInput(options),
    events,
    ...(payloads.length > 0 && { payloads: Object.fromEntries(payloads) }),
    services: invoked,
  };
}

function printedInput({ input }: Workflow['options']): Pick<WorkflowSummary, 'input'> {
  const schema = printed(input);
  return schema === undefined ? {} : { input: schema };
}
