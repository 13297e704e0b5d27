import { withReasons } from '../../../gateway/local.ts';
import type { CallView, PendingView, RunView, StepView, TaintView, WithdrawnView } from '../../../index.ts';
import { mentionParts } from '../../../protocol/content.ts';
import { parseJson } from '../../../protocol/json.ts';
import { isWorkflowView, type ServiceView, type WorkflowRunView } from '../../../protocol/views.ts';
import { describeSkills, inEnglish } from '../../../runs/views.ts';
import type { ScriptedAnswer } from '../../../testing/script-file.ts';
import { dueIn, isoTime, unhidden } from '../../../text/wording.ts';
import { readingPort } from '../../drive/with-detent.ts';
import { type Flags, usage, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';

import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { checklist, questionLines } from '../../terminal/todo-and-question.ts';
import { onRun } from './follow.ts';

/** `detent runs show RUN`. */
export async function showRun(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  if (flags.prompt !== undefined) return (await import('./prompt.ts')).showPrompt(named, flags, io);
  const options = await loadOptions(flags, io);
  const view = await onRun(readingPort, options, named, (port, runId) => port.show(runId));
  if (flags.script) io.json(scriptOf(view), 2);
  else if (flags.json) io.json(await withReasons(view));
  else if (isWorkflowView(view)) io.out(`${describeWorkflow(view, describePending)}\n`);
  else io.out(`${runText(view)}\n`);
  return exit.ok;
}

/** What the model said in a run, as a file of `--model script/FILE` has it. Failures of a provider are left out. */
function scriptOf(view: RunView): ScriptedAnswer[] {
  if (isWorkflowView(view) || view.steps.length === 0)
    throw usage(`a script contains answers of a model, and ${view.runId} has none; name a run of an agent`);
  return view.steps
    .filter(({ error }) => error === null)
    .map(({ text, reasoning, refusal, toolCalls }) => ({
      ...(text !== '' && { text }),
      ...(reasoning !== '' && { reasoning }),
      ...(refusal !== '' && { refusal, finish: 'refusal' as const }),
      ...(toolCalls.length > 0 && {
        toolCalls: toolCalls.map(({ name, argumentsRaw }) => ({
          name,
          arguments: parseJson(argumentsRaw) ?? argumentsRaw,
        })),
      }),
    }));
}

function runText(view: RunView): string {
  const { usage, pending, error } = view;
  return [
    `run      ${view.runId}`,
    `session  ${view.sessionId}`,
    ...(view.agent === undefined ? [] : [`agent    ${view.agent}`]),
    ...(view.parentRunId === undefined ? [] : [`task of  ${view.parentRunId} ${view.parentCall}`]),
    `status   ${statusWords(view.status)}${view.outcome ? ` (${view.outcome})` : ''}${view.waitsFor ? ` for ${view.waitsFor}` : ''}`,
    `states   ${view.states.join(' → ')}`,
    `tokens   ${usage.inputTokens} in, ${usage.outputTokens} out${usage.costUsd === null ? '' : `, $${usage.costUsd.toFixed(4)}`}${usage.estimated ? ' (partly estimated)' : ''}`,
    ...mentionParts(view.attachments).map((line) => `with     ${line}`),
    ...(view.tainted ?? []).map((source) => `tainted  ${describeTaint(source)}`),
    ...(view.skills ? describeSkills(view.skills).map((line) => `skills   ${inEnglish(line)}`) : []),
    ...(view.switches ?? []).map(
      ({ seq, from, to, error }) => `switched ${from} → ${to} at seq ${seq}: ${error.code}: ${error.message}`,
    ),
    ...(view.withdrawn ?? []).flatMap(describeWithdrawn),
    ...view.steps.flatMap(describeStep),
    ...(view.todo ? ['', ...checklist(view.todo).map((line) => `todo     ${line}`)] : []),
    ...describePending(pending),
    ...(error ? ['', `error    ${error.code}: ${error.message}`] : []),
  ].join('\n');
}

function describePending(pending: readonly PendingView[]): string[] {
  return pending.flatMap((asked) => {
    const { runId, kind, callId, name, arguments: given, argumentsHash, why, preview, question } = asked;
    const { heldUntil, decides } = asked;
    return [
      '',
      ...[
        `asks     ${kind} ${runId === undefined ? '' : `${runId} `}${callId} ${name} (${why})`,
        `         ${JSON.stringify(given)}`,
        ...(argumentsHash ? [`         hash ${argumentsHash}`] : []),
        ...(decides ? [`         decided by ${decides === 'user' ? 'the user' : 'staff'}`] : []),
        ...(heldUntil === undefined ? [] : [`         a device performs it, until ${isoTime(heldUntil)}`]),
        ...(preview?.split('\n') ?? []).map((line) => `         ${line}`),
        ...(question ? questionLines(question).map((line) => `         ${line}`) : []),
      ].map(unhidden),
    ];
  });
}

function describeTaint({ tool, call, at, earlier }: TaintView): string {
  const place = [...(call === null ? [] : [call]), ...(earlier ? ['in an earlier run'] : [])].join(' ');
  const when = at === 0 ? '' : `, ${isoTime(at)}`;
  return `by ${tool}${place === '' ? '' : ` (${place})`}${when}: calls that write or send ask a person`;
}

function describeStep(
  { model, finishReason, cached, toolCalls, text, refusal, error, unfit }: StepView,
  i: number,
): string[] {
  return [
    '',
    `step ${i + 1}   ${model}${finishReason ? `, ${finishReason}` : ''}${cached ? ', from the answer cache' : ''}`,
    ...[text, refusal].filter((words) => words !== ''),
    ...toolCalls.flatMap(describeCall),
    ...(unfit === undefined
      ? []
      : ['  does not fit the output schema:', ...unfit.split('\n').map((line) => `  ${line}`)]),
    ...(error ? [`  broke off: ${error.message}`] : []),
  ];
}

/** An answer that broke off and was made again: what of it came, and its cost. */
function describeWithdrawn({ seq, model, text, usage, calls, error }: WithdrawnView): string[] {
  const tokens = usage
    ? `, ${usage.inputTokens} tokens in, ${usage.outputTokens} out${usage.estimated ? ' (estimated)' : ''}`
    : '';
  return [
    `withdrew an answer of ${model} at seq ${seq}${tokens}: ${error?.message ?? 'it broke off'}`,
    ...(text === '' ? [] : [`         ${firstLine(text)}`]),
    ...calls.map(({ name, argumentsRaw }) => `         ${name} ${firstLine(argumentsRaw)}  (never ran)`),
  ];
}

function describeCall(call: CallView): string[] {
  const { callId, name, argumentsRaw, status, code, decision, result, attachments, subRun, why } = call;
  const facts = [status, code, decision].filter((fact) => fact !== null).join(', ');
  return [
    `  ${callId} ${name} ${argumentsRaw}`,
    `     ${facts}${result === null ? '' : `: ${firstLine(result)}`}`,
    ...(isRemarkable(call) ? [`     by ${why}`] : []),
    ...mentionParts(attachments).map((line) => `     ${line}`),
    ...(subRun
      ? [`     run ${subRun.runId}: ${subRun.status}${subRun.outcome ? ` (${subRun.outcome})` : ''}`]
      : []),
  ];
}

/** Whether a rule other than the tool's own default decided. A question of the agent is visible as such. */
function isRemarkable({ why, reason }: CallView): boolean {
  const code = why === undefined ? 'agent_asks' : reason?.code;
  return code !== 'agent_asks' && !code?.startsWith('tool_');
}

const maxShown = 120;

function firstLine(result: string): string {
  const [line = '', ...rest] = result.split('\n');
  if (line.length > maxShown) return `${line.slice(0, maxShown)}…`;
  return rest.length > 0 ? `${line} …` : line;
}

/** The run of a workflow for people, in the names of its chart. */
function describeWorkflow(
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
    ...(spent.tokens > 0
      ? [`spent    ${spent.tokens} tokens${spent.costUsd === null ? '' : `, $${spent.costUsd.toFixed(4)}`}`]
      : []),
    ...workflow.services.map((service) => `service  ${describeService(service, view.pending, now)}`),
    ...workflow.timers.map(({ name, dueAt }) => `timer    ${name}: ${due(dueAt, now)}`),
    ...pending(view.pending),
    ...(error ? ['', `error    ${error.code}: ${error.message}`] : []),
  ].join('\n');
}

function describeService(
  { id, src, kind, callId, attempt, status, retryAt, run }: ServiceView,
  asked: readonly PendingView[],
  now: number,
): string {
  const name = kind === 'action' ? `action ${id}` : src === id ? id : `${id} (${src})`;
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  const below = run && `run ${run.runId}: ${run.status}${run.waitsFor ? ` for ${run.waitsFor}` : ''}`;
  const why = asked.find((one) => one.kind === 'reconcile' && one.callId === callId)?.why;
  const stands: Readonly<Record<ServiceView['status'], string>> = {
    open: below ?? 'open',
    uncertain: `a person must say whether it ran${why ? `: ${why}` : ''}`,
    retrying: `failed, starts again ${retryAt === undefined ? 'later' : due(retryAt, now)}`,
  };
  return `${name} ${callId}${tries}: ${stands[status]}`;
}

function due(at: number, now: number): string {
  return `${dueIn(at - now)}, at ${isoTime(at)}`;
}

const maxValueShown = 2_000;

function short(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > maxValueShown ? `${json.slice(0, maxValueShown)}… (all of it: --json)` : json;
}

/** The status of a run, with what it waits for where its name does not say so. */
function statusWords(status: string): string {
  return status === 'decided' || status === 'unstarted' ? `${status}, waits for resume` : status;
}
