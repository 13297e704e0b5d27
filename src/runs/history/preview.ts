import type { SideEffectClass } from '../../../machines/run.types.ts';
import { routeOf } from '../../agent/model-call/route.ts';
import { pathOf } from '../../engine/decide.ts';
import type { MachineHosts } from '../../engine/machine-hosts.ts';
import type { PendingView } from '../../protocol/run-view.ts';
import { parseMessage } from '../../records/messages.ts';
import { questionOf } from '../../records/question.ts';
import { contextOf } from '../../records/stored-run.ts';
import { isWorkflowRun } from '../../records/workflow-run.ts';
import type { Program } from '../../store/program.ts';
import { conversationOf, type SessionMessage } from '../conversation.ts';
import { pendingOf } from '../pending-view.ts';
import { type ForkPlan, type ForkRequest, planFork } from './fork.ts';
import { type OpenEffect, openOf } from './fork-rows.ts';

/** What a fork would be. Nothing of it exists yet. */
export interface ForkPreview {
  /** The run that would be forked. */
  runId: string;
  seq: number;
  /** The state that the fork would begin in. */
  path: string;
  /** The fork would have ended: it only continues the conversation in a session of its own. */
  ended: boolean;
  /** `provider/model` of the fork; empty for a workflow. */
  model: string;
  /** The effects that a resume of the fork would start, or a decision. */
  open: PreviewedEffect[];
  /** The questions to people that the fork would ask again. */
  pending: PendingView[];
  /** The messages that the fork would have, those of earlier runs of the session included. */
  messages: SessionMessage[];
}

/** An open effect of a fork, which the original may have performed since. */
export interface PreviewedEffect extends OpenEffect {
  /** Of a model call: `provider/model`. */
  model?: string;
  /** Of a tool call. */
  sideEffect?: SideEffectClass;
  /**
   * Whether a repeat changes nothing in the world: true for model calls and `readonly` tool calls. A fork has idempotency keys
   * of its own, so its repeat of an `idempotent` call is a second one.
   */
  isSafeToRepeat: boolean;
}

/** @throws DetentError as `forkAt` does. */
export function* previewFork(hosts: MachineHosts, request: ForkRequest): Program<ForkPreview> {
  const plan = yield* planFork(hosts, request);
  const { row, was, earlier, passed, messages, head, options, questions } = plan;
  return {
    runId: row.id,
    seq: was.seq,
    path: pathOf(JSON.parse(was.state)),
    ended: was.ended,
    model: isWorkflowRun(row) ? '' : options.model,
    open: previewed(plan),
    pending: pendingOf(questions.map(questionOf)),
    messages: conversationOf([...earlier, row], [...passed, ...messages].map(parseMessage), head),
  };
}

function previewed({ row, was, effects, options, redact }: ForkPlan): PreviewedEffect[] {
  // What a service did, its run or its own function knows: nothing says that a second time changes nothing.
  if (isWorkflowRun(row)) return openOf(effects, redact).map((one) => ({ ...one, isSafeToRepeat: false }));
  const context = contextOf(was);
  // Only runs of agents have calls.
  const { pending = [] } = context;
  const classes = new Map(pending.map((call) => [call.id, call.class]));
  return openOf(effects, redact).map((effect) => {
    if (effect.callId === undefined)
      return {
        ...effect,
        ...(effect.name === 'effect.callModel' && { model: routeOf(options, row, context).name }),
        isSafeToRepeat: repeatable.has(effect.name),
      };
    const sideEffect = classes.get(effect.effect) ?? 'unsafe';
    return { ...effect, sideEffect, isSafeToRepeat: sideEffect === 'readonly' };
  });
}

/** They only ask a model. A flush writes to memory. */
const repeatable: ReadonlySet<string> = new Set(['effect.callModel', 'effect.compact']);
