import { type EngineEvent, senderOf, unsigned } from '../../../engine/machine.ts';
import type { MethodOutput } from '../../../protocol/methods.ts';
import { errorReasonOf, type SentenceValue } from '../../../protocol/views.ts';
import { callName, isCallDecision } from '../../../store/stored-call.ts';
import { isWorkflowRun } from '../../../store/stored-run.ts';
import { duration, oneLine } from '../../../text/wording.ts';
import { sayingOf } from '../../decisions/decisions.ts';
import { eventName, flowWords } from '../../flows/flow-names.ts';
import { callOf, callOfEffect, type Evidence, type Judged } from './evidence.ts';

/** One link of the chain from what began a run to its last transition. */
type Link = MethodOutput<'run.why'>['chain'][number];

type EffectLink = NonNullable<Link['effect']>;

const maxLinks = 12;

/** Walks back from the last transition, each time to the transition that requested the effect or set the timer behind it. */
export function chainOf(evidence: Evidence): Link[] {
  const links: Link[] = [];
  for (let at = evidence.transitions.at(-1); at && links.length < maxLinks; at = causeOf(evidence, at))
    links.push(linkOf(evidence, at));
  return links.reverse();
}

/** The transition that led to this one; undefined when a person or a program sent its event. */
export function causeOf({ transitions }: Evidence, { seq, event }: Judged): Judged | undefined {
  const before = transitions.slice(0, seq - 1);
  const { type, effectId } = event;
  if (effectId !== undefined) return before.findLast(({ effects }) => effects.includes(effectId));
  if (/^(timer|xstate|flow)\./.test(type)) return before.findLast(({ timers }) => timers.includes(type));
  if (!isCallDecision(event)) return undefined;
  // The transition before asked the person for this decision.
  return before.findLast(({ event }) => !event.type.startsWith('confirm.'));
}

function linkOf(evidence: Evidence, { seq, at, event, from, to, guards }: Judged): Link {
  const link = { seq, at, from, to, guards, effect: effectOf(evidence, event) };
  if (!isWorkflowRun(evidence.row))
    return { ...link, event: event.type, says: contentOf(evidence, event, to) };
  const by = senderOf(event as EngineEvent);
  return {
    ...link,
    event: eventName(event, evidence.nameOf),
    ...(by !== undefined && { by }),
    says: brief(flowWords(unsigned(event))),
  };
}

function effectOf(evidence: Evidence, { effectId }: Judged['event']): EffectLink | null {
  const effect = effectId === undefined ? undefined : evidence.effects.get(effectId);
  if (!effect) return null;
  const { n, name, attempt } = effect;
  const asked = evidence.transitions.findLast(({ effects }) => effects.includes(n));
  const call = callOfEffect(evidence, effect);
  return {
    effect: n,
    name,
    attempts: attempt,
    askedAtSeq: asked?.seq ?? null,
    ...(isWorkflowRun(evidence.row) && { service: evidence.nameOf(n) }),
    ...(call && { tool: call.name, callId: callName(n), arguments: call.arguments }),
  };
}

/** The part of an event's body that a reader wants to see. */
function contentOf(evidence: Evidence, event: Judged['event'], to: string): string {
  const { type, effectId, callId, reason, error, calls = [], tokens, delayMs = 0 } = event;
  if (error) {
    const isRetried = to === 'active.working.thinking.backingOff';
    const then = isRetried ? `, retried after ${duration(delayMs)}` : '';
    const passed = type === 'model.switched' ? `${event.from} → ${event.to}: ` : '';
    return `${passed}${error.code}: ${error.message}${then}`;
  }
  if (type === 'tool.failed' || type === 'tool.done') {
    const result = callOf(evidence, effectId ?? 0)?.result;
    const said = brief(result?.text ?? '');
    return result?.code ? `${result.code}: ${said}` : said;
  }
  if (type === 'model.done') {
    if (calls.length > 0) return `${calls.length} tool ${calls.length === 1 ? 'call' : 'calls'}`;
    return `an answer, finish ${event.finish}${event.fits === false ? ', that does not fit the output schema' : ''}`;
  }
  if (typeof callId === 'number') return `${sayingOf(callId, event)}${reason ? `: ${reason}` : ''}`;
  if (typeof tokens === 'number') return `about ${tokens} tokens`;
  return typeof reason === 'string' ? reason : '';
}

const maxShown = 160;

/** The first words of a text, on one line. */
export function brief(text: string, maxChars = maxShown): string {
  return oneLine(text, maxChars);
}

/** The message of an error, with the words of others cut. */
export function briefError(message: string, maxChars?: number): SentenceValue {
  const reason = errorReasonOf(message);
  if (reason === null) return brief(message, maxChars);
  const { code, params } = reason;
  return {
    code,
    params: typeof params.said === 'string' ? { ...params, said: brief(params.said, maxChars) } : params,
  };
}
