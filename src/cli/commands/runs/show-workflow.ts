import type { PendingView } from '../../../index.ts';
import type { ServiceView, WorkflowRunView } from '../../../protocol/workflow-view.ts';
import { duration } from '../../../text/duration.ts';
import { isoTime } from '../../../text/iso-time.ts';
import { statusWords } from '../../terminal/columns.ts';

/** The run of a workflow for people, in the names of its chart. */
export function describeWorkflow(
  view: WorkflowRunView,
  pending: (asked: readonly PendingView[]) => string[],
  now = Date.now(),
): string {
  const { workflow, error } = view;
  const { spent } = workflow;
  return [
    `run      ${view.runId}`,
    `workflow ${workflow.id}, version ${workflow.version}`,
    `session  ${view.sessionId}`,
    ...(view.parentRunId === undefined ? [] : [`part of  ${view.parentRunId} ${view.parentCall}`]),
    `status   ${statusWords(view.status)}${view.waitsFor ? ` for ${view.waitsFor}` : ''}`,
    `state    ${view.states.at(-1)}`,
    `states   ${view.states.join(' → ')}`,
    `input    ${short(workflow.input)}`,
    `context  ${short(workflow.context)}`,
    ...(workflow.output === undefined ? [] : [`output   ${short(workflow.output)}`]),
    ...(spent.tokens > 0 ? [`spent    ${spent.tokens} tokens, $${spent.costUsd.toFixed(4)}`] : []),
    ...workflow.services.map((service) => `service  ${describeService(service, now)}`),
    ...workflow.timers.map(({ name, dueAt }) => `timer    ${name}: ${due(dueAt, now)}`),
    ...pending(view.pending),
    ...(error ? ['', `error    ${error.code}: ${error.message}`] : []),
  ].join('\n');
}

function describeService(
  { id, src, kind, callId, attempt, status, retryAt, run }: ServiceView,
  now: number,
): string {
  const name = kind === 'action' ? `action ${id}` : src === id ? id : `${id} (${src})`;
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  const below = run && `run ${run.runId}: ${run.status}${run.waitsFor ? ` for ${run.waitsFor}` : ''}`;
  const stands: Readonly<Record<ServiceView['status'], string>> = {
    open: below ?? 'open',
    uncertain: 'its process ended: a person must say whether it ran',
    retrying: `failed, begins again ${retryAt === undefined ? 'later' : due(retryAt, now)}`,
  };
  return `${name} ${callId}${tries}: ${stands[status]}`;
}

function due(at: number, now: number): string {
  return `${at > now ? `in ${duration(at - now)}` : 'now'}, at ${isoTime(at)}`;
}

const maxShown = 2_000;

function short(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > maxShown ? `${json.slice(0, maxShown)}… (all of it: --json)` : json;
}
