import type { GivenCall } from '../../../store/run-options.ts';
import type { LogEvent } from '../../../store/stored-call.ts';
import { shellWord } from '../../../text/wording.ts';
import { brief } from './chain.ts';
import { type CallFacts, callOfEffect, callsOf, type Evidence, takeOversIn } from './evidence.ts';
import { advice, continueWith, type Finding, forkAt, thenResume } from './finding.ts';
import { callLine, limitReached, overBudget, where } from './limit-reached.ts';
import { reasonWords, troubleOnTheWay } from './on-the-way.ts';
import { attemptsAtLastCall, contextOverflow, modelFailed } from './provider.ts';
import { say } from './say.ts';
import { died } from './waiting.ts';

/** Why a run ended as it did. */
export function ended(evidence: Evidence): Finding {
  const { output, status } = evidence;
  if (status === 'done') return completed(evidence);
  if (status === 'cancelled') return cancelled(evidence);
  const code = output?.error?.code ?? '';
  const finding = limitReached(evidence, code) ?? byCode(evidence, code);
  return finding ?? internal(evidence);
}

function byCode(evidence: Evidence, code: string): Finding | null {
  switch (code) {
    case 'CONTEXT_OVERFLOW':
      return contextOverflow(evidence);
    case 'POISONED':
      return poisoned(evidence);
    case 'BLOCKED_BY_POLICY':
      return blockedByPolicy(evidence);
    case 'CONTENT_FILTERED':
    case 'REFUSED':
    case 'TRUNCATED':
      return badAnswer(evidence, code);
    case 'INVALID_OUTPUT':
      return invalidOutput(evidence);
    default:
      return evidence.transitions.at(-1)?.event.type === 'model.failed' &&
        attemptsAtLastCall(evidence).length > 0
        ? modelFailed(evidence)
        : null;
  }
}

/** The model of an answer, as commands name it: providers leave their own name out of it. */
function modelOf({ options }: Evidence, answer: Evidence['answers'][number] | undefined): string {
  return answer?.model && !options.model.endsWith(`/${answer.model}`) ? answer.model : options.model;
}

function completed(evidence: Evidence): Finding {
  const { context, output, options } = evidence;
  const { steps, loss } = context;
  if (options.call) return madeItsCall(evidence, options.call);
  const answer = evidence.answers.at(-1);
  const refused = evidence.transitions.at(-1)?.event.overBudget;
  if (refused !== undefined && options.budget) return overBudget(evidence, options.budget, refused);
  const isDegraded = output?.outcome === 'completed_degraded';
  const why = loss
    ? say(loss === 'memory' ? 'lost_memory' : 'lost_history')
    : say('empty_answers', { count: context.empty });
  const trouble = troubleOnTheWay(evidence);
  return {
    cause: isDegraded ? 'completed_degraded' : 'completed',
    summary: isDegraded
      ? say('degraded', { why })
      : say('answered', { model: modelOf(evidence, answer), steps, text: brief(answer?.text ?? '') }),
    details: trouble.length > 0 ? [say('before_that'), ...trouble] : [],
    next: [advice(say('continue'), continueWith(evidence))],
  };
}

/** The end of a run that makes one given call: whatever the result, the run has done its work. */
function madeItsCall(evidence: Evidence, { name }: GivenCall): Finding {
  const result = callsOf(evidence).at(-1)?.result;
  const trouble = troubleOnTheWay(evidence);
  const text = brief(result?.text ?? '');
  if (evidence.options.ask)
    return {
      cause: 'completed',
      summary: say('asked_for_workflow', { text }),
      details: trouble,
      next: [],
    };
  return {
    cause: 'completed',
    summary: result?.isError
      ? say('its_call_failed', { tool: name, code: result.code ?? 'TOOL_FAILED', text })
      : say('made_its_call', { tool: name, text }),
    details: trouble,
    next: [],
  };
}

function cancelled(evidence: Evidence): Finding {
  const last = evidence.transitions.at(-1);
  const { reason, by }: Partial<LogEvent> = last?.event ?? {};
  return {
    cause: 'cancelled',
    summary: say('cancelled', { by, state: where(last?.from ?? 'idle'), reason: reasonWords(reason) }),
    details: [...evidence.effects.values()].flatMap((effect) => {
      const call = effect.status === 'cancelled' ? callOfEffect(evidence, effect) : null;
      return call?.result ? [callLine(call)] : [];
    }),
    next: [
      advice(say('continue'), continueWith(evidence)),
      ...(last && last.seq > 1
        ? [advice(say('fork_before_cancel', thenResume), forkAt(evidence, last.seq - 1))]
        : []),
    ],
  };
}

function poisoned(evidence: Evidence): Finding {
  const last = evidence.transitions.at(-1);
  const n = last?.event.effectId ?? 0;
  const effect = evidence.effects.get(n);
  const call = effect ? callOfEffect(evidence, effect) : null;
  const work = call
    ? `${call.name}(${brief(call.arguments)})`
    : say('effect', { name: effect?.name ?? '', effect: n });
  return {
    cause: 'poisoned',
    summary: say('poisoned', { work, count: effect?.attempt ?? 3 }),
    details: [
      say('last_time', { died: died(evidence, effect) }),
      ...takeOversIn(evidence).map(({ seq }) => say('taken_over', { seq })),
    ],
    next: [
      advice(call ? say('find_why_killed', { tool: call.name }) : say('find_why_it_kills')),
      advice(say('then_continue'), continueWith(evidence)),
    ],
  };
}

function blockedByPolicy(evidence: Evidence): Finding {
  const refused = refusedByPolicy(evidence);
  const last = refused.at(-1);
  const tools = [...new Set(refused.map(({ name }) => name))].join(', ');
  return {
    cause: 'blocked_by_policy',
    summary: say('blocked_by_policy', { tools, text: brief(last?.result?.text ?? '') }),
    details: refused.slice(-3).map(callLine),
    next: [
      last?.result?.code === 'TOOL_NOT_ALLOWED'
        ? advice(say('allow_tool'), continueWith(evidence, `--tools ${shellWord(tools.replaceAll(' ', ''))}`))
        : advice(say('let_person_decide'), continueWith(evidence, '--approve ask')),
    ],
  };
}

function badAnswer(evidence: Evidence, code: string): Finding {
  const { transitions, options } = evidence;
  const answer = evidence.answers.at(-1);
  const last = transitions.at(-1);
  const text = brief(answer?.refusal || answer?.text || '') || undefined;
  const asked = forkAt(evidence, Math.max(0, (last?.seq ?? 1) - 1), '--edit-message "TEXT"');
  const rephrase = advice(say('rephrase', thenResume), asked);
  const finish = answer?.finishReason ?? code.toLowerCase();
  if (code === 'CONTENT_FILTERED')
    return {
      cause: 'content_filter',
      summary: say('content_filter', { model: options.model, finish, text }),
      details: [say('provider_held_back')],
      next: [rephrase],
    };
  if (code === 'REFUSED')
    return {
      cause: 'refusal',
      summary: say('refusal', { model: modelOf(evidence, answer), text }),
      details: [say('finish_reason', { finish })],
      next: [rephrase],
    };
  return {
    cause: 'truncated',
    summary: say('truncated', { finish, tokens: answer?.usage?.outputTokens, text }),
    details: [],
    next: [
      advice(say('ask_for_rest'), continueWith(evidence)),
      advice(say('or_rephrase', thenResume), asked),
    ],
  };
}

function invalidOutput(evidence: Evidence): Finding {
  const { transitions } = evidence;
  const answers = evidence.answers.filter(({ unfit }) => unfit !== undefined);
  const last = transitions.at(-1);
  const asked = forkAt(evidence, Math.max(0, (last?.seq ?? 1) - 1), '--model PROVIDER/MODEL');
  return {
    cause: 'invalid_output',
    summary: say('invalid_output', { model: modelOf(evidence, answers.at(-1)) }),
    details: answers.flatMap(({ text, unfit = '' }) => [
      say('answer_was', { text: brief(text) }),
      ...unfit.split('\n').map((text) => say('schema_error', { text })),
    ]),
    next: [advice(say('ask_other_model', thenResume), asked), advice(say('describe_fields'))],
  };
}

function internal(evidence: Evidence): Finding {
  const { output, row } = evidence;
  const { code = 'INTERNAL', message = 'no error was stored' } = output?.error ?? {};
  return {
    cause: output?.outcome ?? 'internal_error',
    summary: say('failure', { code, message }),
    details: [
      ...(row.faults > 0 ? [say('chart_faulted', { count: row.faults })] : []),
      ...troubleOnTheWay(evidence),
    ],
    next: [advice(say('continue_in_new_run'), continueWith(evidence))],
  };
}

/** The calls that policy refused, not a person. */
function refusedByPolicy(evidence: Evidence): CallFacts[] {
  return callsOf(evidence).filter(
    ({ result }) => result?.code === 'TOOL_NOT_ALLOWED' || result?.code === 'REJECTED_BY_POLICY',
  );
}
