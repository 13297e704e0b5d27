import { routeOf } from '../../agent/model-call.ts';
import { type MachineHosts, pathOf } from '../../engine/machine.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { Program } from '../../store/program.ts';
import { shownModel } from '../../store/run-options.ts';
import { parseMessage } from '../../store/stored-message.ts';
import { contextOf, isWorkflowRun } from '../../store/stored-run.ts';
import { conversationOf } from '../story/conversation-view.ts';
import { pendingOf } from '../story/pending-view.ts';
import { type ForkPlan, type ForkRequest, planFork } from './fork.ts';
import { openOf } from './fork-rows.ts';

/** What a fork would be. Nothing of it exists yet. */
export interface ForkPreview extends MethodOutput<'run.forkPreview'> {}

/** An open effect of a fork, which the original may have performed since. */
export type PreviewedEffect = ForkPreview['open'][number];

/** @throws DetentError as `forkAt` does. */
export function* previewFork(hosts: MachineHosts, request: ForkRequest): Program<ForkPreview> {
  const plan = yield* planFork(hosts, request);
  const { row, was, earlier, passed, messages, head, options, questions } = plan;
  return {
    runId: row.id,
    seq: was.seq,
    path: pathOf(JSON.parse(was.state)),
    ended: was.ended,
    model: isWorkflowRun(row) ? '' : shownModel(options),
    open: previewed(plan),
    pending: pendingOf(questions),
    messages: conversationOf([...earlier, row], [...passed, ...messages].map(parseMessage), head),
  };
}

function previewed({ row, was, effects, options, redact }: ForkPlan): PreviewedEffect[] {
  // Only the run or the function of a service knows what the service did, so nothing proves that a repetition is
  // harmless.
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

/** Effects that only ask a model. A flush is not one: it writes to memory. */
const repeatable: ReadonlySet<string> = new Set(['effect.callModel', 'effect.compact']);
