import type { ClientRun } from '../../client/index.ts';
import type { PendingView, RunView } from '../../index.ts';
import { addressFlags } from '../../models/provider-config.ts';
import { isReserved } from '../../protocol/enums.ts';
import { isWorkflowView, type WorkflowRunView } from '../../protocol/views.ts';
import { answerNames, isoTime } from '../../text/wording.ts';
import type { Port } from '../port/port.ts';
import type { Io } from '../terminal/io.ts';
import type { OutputOptions } from '../terminal/printer.ts';
import { shellWord } from '../terminal/shell-word.ts';

export function isEnded({ status }: Pick<RunView, 'status'>): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** Says on stderr why a run failed, or which command a person has to type to resume it. */
export async function reportEnd(port: Port, view: RunView, quiet: boolean, io: Io): Promise<void> {
  const { runId, status, outcome, error, call } = view;
  if (!isEnded(view)) return io.say(await resumeHint(port, view, io.isAttended()));
  if (status === 'failed' && isWorkflowView(view))
    io.say(`detent: ${error?.code ?? 'FAILED'}: ${error?.message ?? 'the workflow failed'} (run ${runId})`);
  else if (status === 'failed')
    io.say(
      `detent: ${outcome}: ${error?.message ?? 'the run failed'} (${error?.code ?? 'UNKNOWN'}, run ${runId})`,
    );
  if (status === 'done' && call?.isError)
    io.say(`detent: ${call.name}: ${call.result} (${call.code ?? 'TOOL_FAILED'}, run ${runId})`);
  if (status === 'cancelled') io.say(`detent: run ${runId} was cancelled`);
  // A script that reads stdout alone would take an empty file for the answer.
  if (outcome === 'completed_degraded' && (!quiet || view.text === ''))
    io.say(
      `detent: run ${runId} completed, but ${view.text === '' ? 'without an answer' : 'degraded'}; see why: detent runs why ${runId}`,
    );
}

/** Prints the ids of a completed run and its session. */
export function printIds(
  { status, runId, sessionId, call }: RunView,
  { quiet }: OutputOptions,
  io: Io,
): void {
  if (status === 'done' && !call?.isError && !quiet) io.say(`· done (run ${runId}, session ${sessionId})`);
}

/** The command that resumes a run, with the address that it needs named again. */
export function resumeCommand({ runId, endpoint }: Pick<RunView, 'runId' | 'endpoint'>): string {
  return `detent runs resume ${runId}${addressFlags(endpoint)}`;
}

/** @param isAttended whether a resume would ask on this terminal */
async function resumeHint(port: Port, view: RunView, isAttended: boolean): Promise<string> {
  const { runId, sessionId } = view;
  const resume = resumeCommand(view);
  if (view.status === 'waiting') {
    const again = `then resume it${isAttended ? ', or be asked here again,' : ''} with: ${resume}`;
    if (isWorkflowView(view)) return workflowHint(port, view, again);
    const asking = view.waitsFor === undefined ? view : await port.show(view.waitsFor);
    return decisionHint(asking, again);
  }
  if (view.status === 'unstarted')
    return `run ${runId} is a fork that has not started: start it with: ${resume}`;
  if (view.status === 'decided') return `run ${runId} is decided, and waits for resume: ${resume}`;
  if (view.status !== 'queued') return `run ${runId} is interrupted: resume it with: ${resume}`;
  const lane = (await port.ask('run.list', { sessionId, limit: 100 })).runs;
  // The list is newest first: the last unfinished run is the head of the lane.
  const head = lane.findLast((run) => run.runId !== runId && !isEnded(run));
  if (!head) return `run ${runId} is queued: resume it with: ${resume}`;
  return [
    `run ${runId} is queued behind run ${head.runId} of session ${sessionId}, which is ${head.status}:`,
    `    detent runs show ${head.runId}`,
    `then resume it with: ${resume}`,
  ].join('\n');
}

/** What a parked workflow waits for, each with the command that gives it. */
async function workflowHint(port: Port, view: WorkflowRunView, again: string): Promise<string> {
  const { runId, states, workflow, pending } = view;
  if (pending.length === 0) {
    const timers = workflow.timers.map(({ name, dueAt }) => `, or ${name} (${isoTime(dueAt)})`);
    const events = await eventsTaken(port, runId);
    const commands = events.map(
      ({ type, guard, data }) =>
        `    detent workflow send ${runId} ${shellWord(type)}${data ? ` --data '${data}'` : ''}${guard ? `  (if ${guard})` : ''}`,
    );
    const isOverdue = workflow.timers.some(({ dueAt }) => dueAt < Date.now());
    const isForEvents = commands.length > 0;
    const below = timers.length === 0 ? workflow.services.find(({ run }) => run)?.run?.runId : undefined;
    const until = workflow.timers.map(({ name, dueAt }) => `${isoTime(dueAt)} (${name})`).join(' or ');
    const clock = until === '' ? 'for the clock' : `until ${until}`;
    const own = below === undefined ? clock : `for run ${below}`;
    const what = isForEvents ? `for an event${timers.join('')}` : own;
    return [
      `run ${runId} is waiting in ${states.at(-1)} ${what}:`,
      ...(isForEvents ? commands : isOverdue ? [] : [`    detent runs why ${runId}`]),
      ...(isOverdue ? [`its time has passed: continue it with: ${resumeCommand(view)}`] : []),
    ].join('\n');
  }
  const answers = pending.flatMap((asked) => answerHint(view, asked));
  const others = pending.filter((asked) => answerHint(view, asked).length === 0);
  if (answers.length === 0)
    return decisionHint(view.waitsFor === undefined ? view : await port.show(view.waitsFor), again);
  const { unhidden } = await import('../../text/wording.ts');
  return [
    `run ${runId} is parked in ${states.at(-1)} and waits for an answer:`,
    ...answers.map(unhidden),
    ...(others.length > 0 ? [await decisionHint({ ...view, pending: others }, again)] : []),
  ].join('\n');
}

/** Two lines on what a service of the chart itself asks; none on what a run further below asks. */
function answerHint(
  { runId, workflow }: WorkflowRunView,
  { runId: below, kind, name, arguments: args, why, question, asIs }: PendingView,
): string[] {
  const service = workflow.services.find(({ run }) => run !== undefined && run.runId === below);
  if (!service || (kind !== 'confirm' && kind !== 'question')) return [];
  const how =
    kind === 'confirm'
      ? '--approve | --reject [--reason TEXT]'
      : question?.fields
        ? '--form JSON | --reject'
        : '--answer TEXT | --reject';
  return [
    // A question of the chart says all in its words; the call of a tool is shown with its arguments.
    `  ${service.id}: ${question?.text ?? (asIs ? why : `${name} ${JSON.stringify(args)}  (${why})`)}${answerNames(question)}`,
    `    detent workflow answer ${runId} ${shellWord(service.id)} ${how}`,
  ];
}

/** The events of the chart that its state takes. */
async function eventsTaken(port: Port, runId: string): Promise<ClientRun['allowed']> {
  const { allowed } = await port.ask('run.get', { runId });
  return allowed.filter(({ type }) => !isReserved(type));
}

const verdicts: Readonly<Record<PendingView['kind'], string>> = {
  confirm: 'confirm RUN CALL --approve | --reject [--reason TEXT] | --modify JSON',
  question: 'confirm RUN CALL --answer TEXT | --reject [--reason TEXT]',
  client: 'confirm RUN CALL --result TEXT | --reject [--reason TEXT]',
  reconcile: 'reconcile RUN CALL --ran [--result TEXT] | --retry | --skip',
};

/** What a chart asks is approved or rejected as it is, and takes the result of a step as JSON. */
function verdictsOf(kind: PendingView['kind'], asIs = false, isStep = false): string {
  const words = isStep
    ? verdicts[kind].replace('--ran [--result TEXT]', '--ran [--result JSON]')
    : verdicts[kind];
  return asIs ? words.replace(' | --modify JSON', '') : words;
}

/** Whether an interrupted call of this run, the one at hand or one of a chart within its chart, is a step of a chart. */
function isStepOf(view: RunView, runId: string): boolean {
  if (!isWorkflowView(view)) return false;
  return view.runId === runId || view.workflow.services.every(({ run }) => run?.runId !== runId);
}

/** The commands that decide each open call of a parked run. */
async function decisionHint(view: RunView, again: string): Promise<string> {
  const { runId, pending } = view;
  const { unhidden } = await import('../../text/wording.ts');
  const lines = pending.flatMap(
    ({ runId: below = runId, kind, callId, name, arguments: args, why, asIs }) => [
      unhidden(`  ${callId} ${name} ${JSON.stringify(args)}  (${why})`),
      `    detent runs ${verdictsOf(kind, asIs, isStepOf(view, below)).replace('RUN', below).replace('CALL', callId)}`,
    ],
  );
  const isEach = (wanted: string) => pending.every(({ kind }) => kind === wanted);
  const what = isEach('question') ? 'an answer' : isEach('client') ? 'results of its client' : 'a decision';
  return [`run ${runId} is parked and waits for ${what}:`, ...lines, again].join('\n');
}
