import { skillsIn } from '../../agent/skills.ts';
import type { PartView } from '../../protocol/content.ts';
import { type JsonValue, parseJson } from '../../protocol/json.ts';
import { taskName } from '../../protocol/tool.ts';
import type {
  CallView,
  RunView,
  StepView,
  SubRunView,
  SwitchView,
  TodoItem,
  WithdrawnView,
} from '../../protocol/views.ts';
import type { RunRow } from '../../store/rows.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { callName, isOpen } from '../../store/stored-call.ts';
import type { AssistantBody, StoredMessage } from '../../store/stored-message.ts';
import { contextOf, isWorkflowRun, optionsOf, outputOf, subRunId } from '../../store/stored-run.ts';
import { readFlowView } from '../flows/read-flow-view.ts';
import { kindOf } from '../kinds/kind-of.ts';
import { waitsUntil } from '../rows/expiries.ts';
import { type IsDriven, statusAmongRuns } from '../rows/run-status.ts';
import { shownCost } from '../rows/spent-by.ts';
import type { Store } from '../rows/statements.ts';
import { parentOf } from '../rows/sub-run-rows.ts';
import { taintAmong, taintedView } from '../rows/taint-of-run.ts';
import { pendingOf, reasonIn } from '../story/pending-view.ts';
import { type RunStory, readStory, type WholeStory } from '../story/read-story.ts';
import type { ToldCall } from '../story/story.ts';
import { todoItems } from '../story/todo-items.ts';

/** Builds the view of a run from its rows. */
export async function readRunView(store: Store, row: RunRow, isDriven: IsDriven): Promise<RunView> {
  return isWorkflowRun(row) ? readFlowView(store, row, isDriven) : readAgentView(store, row, isDriven);
}

async function readAgentView(store: Store, row: RunRow, isDriven: IsDriven): Promise<RunView> {
  const { messages, questions, answers, calls, usage, states, events } = await readStory(store, row);
  const options = optionsOf(row);
  const output = outputOf(row);
  const subRuns = await subRunViews(store, row, calls, isDriven);
  const steps = answers.map((answer) => stepView(answer, calls, subRuns));
  const todo = lastTodo(steps);
  return {
    runId: row.id,
    sessionId: row.sessionKey,
    createdAt: row.createdAt,
    ...(row.ended && { endedAt: row.updatedAt }),
    ...(options.after !== undefined && { after: options.after }),
    ...(options.metadata && { metadata: options.metadata }),
    ...(options.output && { outputSchema: options.output }),
    ...agentOf(options),
    ...(options.endpoint && { endpoint: options.endpoint }),
    ...parentOf(options),
    ...(await statusAmongRuns(store, row, isDriven)),
    ...(kindOf(row).isAsking(row) && waitsUntil(await store.query('listTimers', { run: row.pk }))),
    outcome: output?.outcome ?? null,
    ...attachmentsOf(messages),
    text: answers.at(-1)?.text ?? '',
    ...(output?.outcome.startsWith('completed') && outputValueOf(answers.at(-1))),
    usage,
    states,
    steps,
    ...(options.call && { call: steps.flatMap(({ toolCalls }) => toolCalls).at(-1) }),
    ...(options.clientTools && { clientTools: options.clientTools.map(({ name }) => name) }),
    ...(options.clientCalls && { clientCalls: options.clientCalls }),
    ...switchesOf(events),
    ...withdrawnOf(messages),
    ...skillsOf(options, events),
    ...taintedView(row, taintAmong(row, messages)),
    ...(todo && { todo }),
    pending: pendingOf(questions),
    error: output?.error ?? null,
  };
}

function outputValueOf(last: AssistantBody | undefined): { output?: JsonValue } {
  return last?.output === undefined ? {} : { output: last.output };
}

function agentOf({ agent }: RunOptions): { agent?: string } {
  return agent === undefined || agent === 'default' ? {} : { agent };
}

/** By the number of the call that started them. */
async function subRunViews(
  store: Store,
  row: RunRow,
  calls: WholeStory['calls'],
  isDriven: IsDriven,
): Promise<Map<number, SubRunView>> {
  const views = new Map<number, SubRunView>();
  for (const { callId, name } of calls.values()) {
    if (name !== taskName) continue;
    const child = await store.query('loadRun', { tenant: row.tenant, id: subRunId(row.id, callId) });
    if (!child) continue;
    const { tokensIn, tokensOut, costUsd } = contextOf(child);
    const spent = { tokens: tokensIn + tokensOut, costUsd };
    const output = outputOf(child);
    views.set(callId, {
      runId: child.id,
      status: (await statusAmongRuns(store, child, isDriven)).status,
      outcome: output?.outcome ?? null,
      usage: {
        inputTokens: tokensIn,
        outputTokens: tokensOut,
        costUsd: await shownCost(store, child, spent),
      },
    });
  }
  return views;
}

function attachmentsOf(messages: readonly StoredMessage[]): { attachments?: PartView[] } {
  const parts = messages.flatMap(({ role, body }) => (role === 'user' ? (body.parts ?? []) : []));
  return parts.length > 0 ? { attachments: parts } : {};
}

function switchesOf(events: RunStory['events']): { switches?: SwitchView[] } {
  const switches = events.flatMap(({ seq, type, from = '', to = '', error }) =>
    type === 'model.switched' && error ? [{ seq, from, to, error }] : [],
  );
  return switches.length > 0 ? { switches } : {};
}

function skillsOf(options: RunOptions, events: RunStory['events']): Pick<RunView, 'skills'> {
  const skills = skillsIn(events, options);
  return skills ? { skills } : {};
}

function withdrawnOf(messages: readonly StoredMessage[]): { withdrawn?: WithdrawnView[] } {
  const withdrawn = messages.flatMap(({ seq, role, body }) =>
    role === 'withdrawn' ? [withdrawnView(seq, body)] : [],
  );
  return withdrawn.length > 0 ? { withdrawn } : {};
}

function withdrawnView(seq: number, body: AssistantBody): WithdrawnView {
  const calls = body.toolCalls.map(({ name, arguments: argumentsRaw }) => ({ name, argumentsRaw }));
  return { seq, ...saidIn(body), calls };
}

function saidIn({ model, provider, text, reasoning, refusal, usage, costUsd, error }: AssistantBody) {
  return {
    model: model || provider,
    text,
    reasoning,
    refusal,
    usage: usage && { ...usage, costUsd },
    error,
  };
}

function stepView(
  answer: AssistantBody,
  calls: WholeStory['calls'],
  subRuns: ReadonlyMap<number, SubRunView>,
): StepView {
  return {
    ...saidIn(answer),
    finishReason: answer.finishReason,
    ...(answer.cached && { cached: true }),
    ...(answer.unfit !== undefined && { unfit: answer.unfit }),
    toolCalls: answer.toolCalls.flatMap(({ callId }) => {
      const call = calls.get(callId);
      const subRun = subRuns.get(callId);
      return call ? { ...callView(call), ...(subRun && { subRun }) } : [];
    }),
  };
}

function callView({ isMade, result, questions, ...call }: ToldCall): CallView {
  const decisions = questions.flatMap(({ decision }) => decision ?? []);
  const changed = decisions.findLast((decision) => decision.arguments !== undefined)?.arguments;
  const answer = decisions.findLast((decision) => decision.answer !== undefined)?.answer;
  const isUncertain = questions.some((question) => question.kind === 'reconcile' && isOpen(question));
  return {
    id: call.id,
    callId: callName(call.callId),
    name: call.name,
    argumentsRaw: call.arguments,
    arguments: parseJson(result?.changed?.arguments ?? changed ?? call.arguments) ?? null,
    ...(result?.changed && { changedBy: result.changed.by }),
    status: isMade ? (result?.status ?? (isUncertain ? 'uncertain' : 'pending')) : 'cancelled',
    decision: decisions.at(-1)?.verdict ?? null,
    ...(answer !== undefined && { answer }),
    result: result?.text ?? null,
    ...(result?.parts && { attachments: result.parts }),
    isError: result?.isError ?? false,
    code: result?.code ?? null,
    ...(call.why !== undefined && { why: call.why }),
    ...reasonIn(call),
    ...(call.asIs && { asIs: call.asIs }),
  };
}

/** The agent's newest todo list. Only the log has it: each `todo` call holds the whole list. */
function lastTodo(steps: readonly StepView[]): TodoItem[] | null {
  const call = steps
    .flatMap(({ toolCalls }) => toolCalls)
    .findLast(({ name, status }) => name === 'todo' && status === 'done');
  return call ? todoItems(call.argumentsRaw) : null;
}
