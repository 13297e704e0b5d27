import type { AnswerCall, PendingCall } from '../../machines/run.types.ts';
import type { EventBus } from '../engine/bus.ts';
import type { EffectJob, HostCache } from '../engine/machine.ts';
import type { CallPlan, HookRecord, HookSet, PlanContext, Toolbox, ToolOutcome } from '../protocol/ports.ts';
import type { ToolContext } from '../protocol/tool.ts';
import { reasonText } from '../protocol/views.ts';
import type { RunRow } from '../store/rows.ts';
import { type ChartQuestion, chartQuestionTool, type RunOptions } from '../store/run-options.ts';
import { argumentsHash, type CallInput, callKey } from '../store/stored-call.ts';
import type { StoredTaint, ToolBody } from '../store/stored-message.ts';
import { grantsOf, taintView } from './policy.ts';
import type { Store } from './statements.ts';

/** The run that makes a call, and the sources of untrusted text in what the call rests on. */
interface Calling {
  run: Pick<RunRow, 'id' | 'pk' | 'session' | 'sessionKey'>;
  /** With the approval of the run as it stands now. */
  options: Pick<CallJob['options'], 'tools' | 'approve' | 'approveGiven'>;
  tainted: readonly StoredTaint[];
}

/** What policy decides with, whoever asks for the call. */
export function policyContext(
  { store, workspace }: Pick<CallServices, 'workspace'> & { store: Store<'listGrants'> },
  { run, options, tainted }: Calling,
): PlanContext {
  const { tools, approve, approveGiven = false } = options;
  return {
    runId: run.id,
    sessionId: run.sessionKey,
    allowed: tools,
    approve,
    approveGiven,
    workspace,
    tainted: taintView(tainted, run.pk),
    grants: () => grantsOf(store, run.session),
  };
}

/** Policy's decision on a call: for the machine, and for the rows of its commit. */
export interface DecidedCall {
  call: AnswerCall;
  why: string;
  /** The bytes to execute; null for a refused call. */
  input: CallInput | null;
  /** The result of a refused call. */
  refused: ToolBody | null;
}

export async function decidedCall(
  callId: number,
  { name, arguments: raw }: Pick<CallInput, 'name' | 'arguments'>,
  plan: CallPlan,
): Promise<DecidedCall> {
  const { why } = plan;
  if (plan.gate !== 'refuse')
    return {
      call: { callId, gate: plan.gate, class: plan.sideEffect },
      why,
      input: await inputOf({ name, arguments: raw }, plan),
      refused: null,
    };
  const { code, text } = plan;
  const byPolicy = code === 'TOOL_NOT_ALLOWED' || code === 'REJECTED_BY_POLICY';
  return {
    call: { callId, gate: 'refuse', class: 'readonly', byPolicy, key: callKey(name, raw) },
    why,
    input: null,
    refused: { callId, text, isError: true, code, status: byPolicy ? 'rejected' : 'failed' },
  };
}

async function inputOf(
  call: Pick<CallInput, 'name' | 'arguments'>,
  plan: Exclude<CallPlan, { gate: 'refuse' }>,
): Promise<CallInput> {
  // Only a person's decision names a hash, so only calls that wait for one are hashed.
  if (plan.gate === 'run') return { ...call, why: plan.why, hash: '' };
  const { guarded, preview, question, client, asIs, decides } = plan;
  return {
    ...call,
    why: plan.why,
    hash: argumentsHash(call.arguments),
    ...(guarded && { guarded }),
    ...(preview && { preview }),
    ...(question && { question }),
    ...(client && { client }),
    ...(asIs && { asIs }),
    ...(decides && { decides }),
  };
}

/**
 * The toolbox of a run that asks a person a chart's question, by one call of the tool `ask`. Only a person can answer
 * it: no rule of the policy does, and a run that asks no one refuses the call.
 */
export function withChartQuestion(toolbox: Toolbox, asked: ChartQuestion): Toolbox {
  return {
    ...toolbox,
    async plan(name, raw, ctx) {
      if (name !== chartQuestionTool) return toolbox.plan(name, raw, ctx);
      return ctx.approve === 'none' ? nobodyToAsk : planOf(asked);
    },
    async run(name, raw, ctx) {
      if (name !== chartQuestionTool) return toolbox.run(name, raw, ctx);
      return outcomeOf(asked, ctx.answer);
    },
    // The answer is a person's own text, so it is trusted.
    isUntrusted: (name, raw) => name !== chartQuestionTool && toolbox.isUntrusted(name, raw),
  };
}

const nobodyToAsk: CallPlan = {
  gate: 'refuse',
  code: 'NOBODY_TO_ASK',
  text: 'The workflow asks a person, but its runs may ask nobody: start it with approve "ask".',
  why: reasonText('run_approves_none'),
};

function planOf(asked: ChartQuestion): CallPlan {
  if ('approval' in asked)
    return { gate: 'ask', sideEffect: 'readonly', why: asked.approval.text, asIs: true };
  return { gate: 'ask', sideEffect: 'readonly', why: reasonText('workflow_asks'), question: asked.question };
}

/** Only an approved call runs, or one whose question was answered. */
function outcomeOf(asked: ChartQuestion, answer: unknown): ToolOutcome {
  if ('approval' in asked) return { isError: false, code: null, text: 'approved' };
  if (answer === undefined)
    return { isError: true, code: 'NOT_ANSWERED', text: 'The question has no answer.' };
  return { isError: false, code: null, text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
}

/** The part of a run that calls need, whatever its machine. */
interface CallingRun {
  context: { pending: readonly PendingCall[] };
  options: Pick<RunOptions, 'agent' | 'principal' | 'tools' | 'approve' | 'approveGiven' | 'call'>;
  cache: HostCache | null;
}

/** One attempt at one call. */
export interface CallJob extends EffectJob<CallingRun> {
  /** `hooks`: what hooks did, so that a replay need not call them. */
  notes: { hooks: HookRecord[] };
}

/** The services with which calls are decided on and performed. */
export interface CallServices {
  store: Store;
  /** The folder that runs work in, wherever they were started; absolute. Null for tenants without one. */
  workspace: string | null;
  bus: EventBus;
  toolbox: Toolbox;
  /** Sub-runs, for calls of the tool that hands tasks on. Left out where nothing can start a run. */
  tasks?: { readonly perform: NonNullable<ToolContext['task']> };
  /** Functions of the host at fixed points of a run; left out where there are none. */
  hooks?: HookSet;
  /** Takes known secrets out of text. */
  redact(text: string): string;
}
