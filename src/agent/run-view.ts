import type { RunOutput } from '../../machines/run.types.ts';
import { pathOf } from '../engine/decide.ts';
import type { ConfirmationRow, EventRow, RunRow } from '../engine/rows.ts';
import type { Store } from '../engine/store.ts';
import { parseJson } from '../protocol/json.ts';
import type { PartView } from '../protocol/parts.ts';
import type {
  CallView,
  PendingView,
  RunStatus,
  RunView,
  StepView,
  SwitchView,
} from '../protocol/run-view.ts';
import { noTokens, type Usage } from '../protocol/usage.ts';
import { callName } from './act.ts';
import {
  type AssistantBody,
  parseMessage,
  type StoredCall,
  type StoredMessage,
  type ToolBody,
} from './messages.ts';
import type { RunOptions } from './run-options.ts';

/** Whether some live driver moves the run. */
export type IsDriven = (row: RunRow) => boolean;

/** Reads a run's whole view off its rows. */
export async function readRunView(store: Store, row: RunRow, isDriven: IsDriven): Promise<RunView> {
  const run = row.pk;
  const messages = (await store.query('listMessagesOfRun', { session: row.session, run })).map(parseMessage);
  const confirmations = await store.query('listConfirmations', { run });
  const events = await store.query('listEvents', { run, after: 0, limit: Number.MAX_SAFE_INTEGER });
  const output = row.output === null ? null : (JSON.parse(row.output) as RunOutput);
  const answers = messages.flatMap((message) => (message.role === 'assistant' ? [message.body] : []));
  const steps = answers.map((answer) => stepView(answer, messages, confirmations));
  return {
    runId: row.id,
    sessionId: row.sessionKey,
    ...agentOf(row),
    status: runStatus(row, isDriven),
    outcome: output?.outcome ?? null,
    ...attachmentsOf(messages),
    text: answers.at(-1)?.text ?? '',
    usage: totalUsage(messages),
    states: statesOf(events),
    steps,
    ...switchesOf(events),
    pending: confirmations.filter((row) => row.status === 'open').map(pendingView),
    error: output?.error ?? null,
  };
}

function agentOf({ options }: RunRow): { agent?: string } {
  const { agent } = JSON.parse(options) as Partial<RunOptions>;
  return agent === undefined || agent === 'default' ? {} : { agent };
}

function attachmentsOf(messages: readonly StoredMessage[]): { attachments?: PartView[] } {
  const parts = messages.flatMap(({ role, body }) => (role === 'user' ? (body.parts ?? []) : []));
  return parts.length > 0 ? { attachments: parts } : {};
}

export function runStatus(row: RunRow, isDriven: IsDriven): RunStatus {
  const path = pathOf(JSON.parse(row.state));
  if (row.ended) return path as 'done' | 'failed' | 'cancelled';
  if (path === 'idle') return 'queued';
  if (path === 'active.awaitingConfirm' || path === 'active.reconciling') return 'waiting';
  return isDriven(row) ? 'running' : 'interrupted';
}

/** Whether the run waits in its session's lane. */
export function isQueued(row: RunRow): boolean {
  return pathOf(JSON.parse(row.state)) === 'idle';
}

/** Whether a run in this state gets on by itself, as long as somebody drives it. */
export function isWorking(path: string): boolean {
  return path.startsWith('active.working.');
}

function switchesOf(events: readonly EventRow[]): { switches?: SwitchView[] } {
  const switches = events.flatMap(({ seq, type, body }) =>
    type === 'model.switched' ? [switchView(seq, JSON.parse(body) as Omit<SwitchView, 'seq'>)] : [],
  );
  return switches.length > 0 ? { switches } : {};
}

function switchView(seq: number, { from, to, error }: Omit<SwitchView, 'seq'>): SwitchView {
  return { seq, from, to, error };
}

function statesOf(events: readonly EventRow[]): string[] {
  const states = ['idle'];
  for (const { path } of events) if (path !== states.at(-1)) states.push(path);
  return states;
}

function stepView(
  answer: AssistantBody,
  messages: readonly StoredMessage[],
  confirmations: readonly ConfirmationRow[],
): StepView {
  const { model, provider, text, reasoning, refusal, finishReason, error, costUsd } = answer;
  return {
    model: model || provider,
    text,
    reasoning,
    refusal,
    finishReason,
    usage: answer.usage && { ...answer.usage, costUsd },
    ...(answer.cached && { cached: true }),
    error,
    toolCalls: answer.toolCalls.map((call) => {
      const result = messages.find(
        (message) => message.role === 'tool' && message.body.callId === call.callId,
      );
      const confirmation = confirmations.find((row) => row.call === call.callId);
      return callView(call, result?.role === 'tool' ? result.body : null, confirmation);
    }),
  };
}

function callView(
  call: StoredCall,
  result: ToolBody | null,
  confirmation: ConfirmationRow | undefined,
): CallView {
  const decision = confirmation?.decision ? (JSON.parse(confirmation.decision) as Decision) : null;
  const isUncertain = confirmation?.kind === 'reconcile' && confirmation.status === 'open';
  return {
    id: call.id,
    callId: callName(call.callId),
    name: call.name,
    argumentsRaw: call.arguments,
    arguments: parseJson(decision?.arguments ?? call.arguments) ?? null,
    status: result?.status ?? (isUncertain ? 'uncertain' : 'pending'),
    decision: decision?.verdict ?? null,
    result: result?.text ?? null,
    ...(result?.parts && { attachments: result.parts }),
    isError: result?.isError ?? false,
    code: result?.code ?? null,
  };
}

/** What `confirmations.decision` holds. */
export interface Decision {
  verdict: string;
  at: number;
  reason?: string;
  by?: string;
  /** The new arguments of `modify`, with known secrets taken out. */
  arguments?: string;
}

function pendingView(row: ConfirmationRow): PendingView {
  const {
    name,
    arguments: raw,
    why,
    preview,
  } = JSON.parse(row.body) as { name: string; arguments: string; why: string; preview?: string };
  return {
    kind: row.kind as PendingView['kind'],
    callId: callName(row.call),
    name,
    arguments: parseJson(raw) ?? raw,
    argumentsHash: row.hash,
    why,
    ...(preview !== undefined && { preview }),
  };
}

export function totalUsage(messages: readonly StoredMessage[]): Usage {
  const total: Usage = { ...noTokens, costUsd: null };
  for (const { role, body } of messages) {
    if (role !== 'assistant' && role !== 'summary') continue;
    const { usage, costUsd } = body;
    if (costUsd !== null) total.costUsd = (total.costUsd ?? 0) + costUsd;
    if (!usage) continue;
    total.inputTokens += usage.inputTokens;
    total.outputTokens += usage.outputTokens;
    total.cachedInputTokens += usage.cachedInputTokens;
    total.reasoningTokens += usage.reasoningTokens;
  }
  return total;
}
