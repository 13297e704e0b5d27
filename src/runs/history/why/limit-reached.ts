import type { RunInput } from '../../../../machines/run.types.ts';
import { errorWords, type Sentence } from '../../../protocol/views.ts';
import type { RunBudget } from '../../../store/run-options.ts';
import { callName } from '../../../store/stored-call.ts';
import { shellWord } from '../../../text/wording.ts';
import { brief } from './chain.ts';
import { type CallFacts, callOfEffect, callsOf, type Evidence } from './evidence.ts';
import { type Advice, advice, continueWith, type Finding, forkAt, lookAt, thenResume } from './finding.ts';
import { say } from './say.ts';

/** Which of its limits stopped a run, how high the limit was, and how much the run used. */
export function limitReached(evidence: Evidence, code: string): Finding | null {
  switch (code) {
    case 'MAX_STEPS':
      return maxSteps(evidence);
    case 'BUDGET_EXHAUSTED':
      return budget(evidence);
    case 'DEADLINE':
      return deadline(evidence);
    case 'QUEUE_EXPIRED':
      return queueExpired(evidence);
    case 'SAME_CALL_FAILED':
      return sameCall(evidence);
    case 'CONSECUTIVE_ERRORS':
      return failingSteps(evidence);
    default:
      return null;
  }
}

function maxSteps(evidence: Evidence): Finding {
  const { steps, limits } = evidence.context;
  return {
    cause: 'max_steps',
    summary: say('max_steps', { steps, max: limits.steps }),
    details: [say('last_calls'), ...callsOf(evidence).slice(-3).map(callLine)],
    next: [advice(say('continue_with_steps'), continueWith(evidence, `--max-steps ${limits.steps * 2}`))],
  };
}

function budget(evidence: Evidence): Finding {
  const { tokensIn, tokensOut, costUsd, limits } = evidence.context;
  const used = tokensIn + tokensOut;
  const isTokens = limits.tokens !== null && used >= limits.tokens;
  const isMoney = limits.costUsd !== null && costUsd >= limits.costUsd;
  if (!isTokens && !isMoney && evidence.options.budget)
    return overBudget(evidence, evidence.options.budget, evidence.output?.error?.message);
  return {
    cause: isTokens ? 'token_budget' : 'money_budget',
    summary: isTokens
      ? say('token_budget', { used, input: tokensIn, output: tokensOut, max: limits.tokens ?? 0 })
      : say('money_budget', { used: `$${costUsd}`, max: `$${limits.costUsd}` }),
    details: [say('budget_between_calls')],
    next: [
      advice(
        say('continue_with_budget'),
        isTokens
          ? continueWith(evidence, `--max-tokens ${(limits.tokens ?? 0) * 2}`)
          : continueWith(evidence, `--max-cost ${(limits.costUsd ?? 0) * 2}`),
      ),
    ],
  };
}

/** @param message what the budget said when it did not admit a call */
export function overBudget(
  evidence: Evidence,
  { name, per }: RunBudget,
  message: string | undefined,
): Finding {
  const { tokensIn, tokensOut } = evidence.context;
  return {
    cause: 'shared_budget',
    summary:
      message === undefined
        ? say('shared_budget', { name })
        : say('shared_budget_failure', { message: errorWords(message) }),
    details: [say('used_of_shared', { tokens: tokensIn + tokensOut })],
    next: [
      advice(say('see_budget'), 'detent usage'),
      advice(
        say('raise_budget', { name, per: per ?? undefined }),
        continueWith(evidence, `--budget ${shellWord(name)}`),
      ),
    ],
  };
}

function deadline(evidence: Evidence): Finding {
  const { context, transitions, effects, row } = evidence;
  const last = transitions.at(-1);
  const before = transitions.at(-2);
  const cut = [...effects.values()].filter(
    ({ n, status }) => status === 'cancelled' && transitions.some((one) => one.effects.includes(n)),
  );
  const inFlight = cut.map((effect) => {
    const { n, name } = effect;
    const call = callOfEffect(evidence, effect);
    return say('deadline_aborted', { work: call ? callLine(call) : say('effect', { name, effect: n }) });
  });
  return {
    cause: 'deadline',
    summary: say('deadline', { worked: context.spentMs, max: context.limits.workMs }),
    details: [
      say('people_not_counted'),
      say('was_at_deadline', { state: where(last?.from ?? '') }),
      ...inFlight,
    ],
    next: [
      advice(
        say('continue_with_time'),
        continueWith(evidence, `--timeout ${Math.ceil((context.limits.workMs * 2) / 1_000)}s`),
      ),
      ...(before ? [advice(say('fork_before_deadline', thenResume), forkAt(evidence, row.seq - 1))] : []),
    ],
  };
}

function queueExpired(evidence: Evidence): Finding {
  const { blocker, row } = evidence;
  return {
    cause: 'queue_expired',
    summary: say('queue_expired', {
      waited: (JSON.parse(row.input) as RunInput).limits.queueMs,
      session: row.sessionKey,
    }),
    details: blocker ? [say('still_in_front', { run: blocker.id })] : [],
    next: [
      ...(blocker ? [advice(say('see_earlier'), lookAt(blocker.id))] : []),
      advice(say('start_when_free'), `detent runs list --session ${row.sessionKey}`),
    ],
  };
}

function sameCall(evidence: Evidence): Finding {
  const { times: count, limits } = evidence.context;
  const failed = callsOf(evidence).filter(({ result }) => result?.isError);
  const last = failed.at(-1);
  const same = last
    ? failed.filter((call) => call.name === last.name && call.arguments === last.arguments)
    : [];
  const call = last ? `${last.name}(${brief(last.arguments)})` : say('a_tool_call');
  return {
    cause: 'loop',
    summary: say('loop', { count, call, code: codeOf(last), text: brief(last?.result?.text ?? '') }),
    details: [...same.slice(-count).map(callLine), say('max_repeats', { max: limits.repeats })],
    next: [
      advice(say('say_instead'), continueWith(evidence, '', 'WHAT TO DO INSTEAD')),
      ...beforeCalls(evidence, same.at(-count)),
    ],
  };
}

function failingSteps(evidence: Evidence): Finding {
  const { errors, limits } = evidence.context;
  const failed = callsOf(evidence).filter(({ result }) => result?.isError);
  const last = failed.at(-1);
  return {
    cause: 'consecutive_errors',
    summary: say('consecutive_errors', {
      count: errors,
      tool: last?.name ?? '',
      code: codeOf(last),
      text: brief(last?.result?.text ?? ''),
    }),
    details: [...failed.slice(-Math.max(errors, 3)).map(callLine), say('max_errors', { max: limits.errors })],
    next: [advice(say('fix_tools'), continueWith(evidence)), ...beforeCalls(evidence, failed.at(-errors))],
  };
}

/** A fork from before a call: with a better prompt the model may not make that call. */
function beforeCalls(evidence: Evidence, call: CallFacts | undefined): Advice[] {
  const made = evidence.transitions.find(({ event }) =>
    event.calls?.some(({ callId }) => callId === call?.callId),
  );
  if (!made) return [];
  return [
    advice(say('fork_before_calls', thenResume), forkAt(evidence, made.seq - 1, '--edit-message "TEXT"')),
  ];
}

export function callLine({ callId, name, arguments: raw, result }: CallFacts): Sentence {
  const call = { call: callName(callId), name, arguments: brief(raw, 120) };
  return result === null
    ? say('call_open', call)
    : say('call_done', { ...call, code: result.code ?? result.status, text: brief(result.text) });
}

function codeOf(call: CallFacts | undefined): string | Sentence {
  return call?.result?.code ?? say('an_error');
}

/** A state in words that need no knowledge of the machine. */
export function where(path: string): Sentence {
  const leaf = path.split('.').at(-1) ?? '';
  return isKnown(leaf) ? say(states[leaf]) : say('at_state', { path });
}

const states = {
  idle: 'at_idle',
  requesting: 'at_requesting',
  backingOff: 'at_backing_off',
  executing: 'at_executing',
  flushing: 'at_flushing',
  summarizing: 'at_summarizing',
  awaitingConfirm: 'at_awaiting_confirm',
  reconciling: 'at_reconciling',
} as const;

function isKnown(leaf: string): leaf is keyof typeof states {
  return Object.hasOwn(states, leaf);
}
