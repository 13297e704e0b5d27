import type { RunInput } from '../../../../machines/run.types.ts';
import { callName } from '../../../records/call-id.ts';
import type { RunBudget } from '../../../records/run-options.ts';
import { brief } from './chain.ts';
import { type CallFacts, callOf, callsOf, type Evidence } from './evidence.ts';
import { advice, again, duration, type Finding, inSession, quoted, thenResume } from './finding.ts';

/** Why a run was stopped by one of its limits: which, how high it was, and what was used. */
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
    summary: `the model took ${steps} of ${limits.steps} allowed steps and had not finished: its last answer asked for tools again`,
    details: ['the last calls were:', ...callsOf(evidence).slice(-3).map(callLine)],
    next: [
      advice(
        'carry the conversation on with more steps',
        inSession(evidence, `--max-steps ${limits.steps * 2}`),
      ),
    ],
  };
}

function budget(evidence: Evidence): Finding {
  const { tokensIn, tokensOut, costUsd, limits } = evidence.context;
  const used = tokensIn + tokensOut;
  const isTokens = limits.tokens !== null && used >= limits.tokens;
  const isMoney = limits.costUsd !== null && costUsd >= limits.costUsd;
  if (!isTokens && !isMoney && evidence.options.budget)
    return sharedBudget(evidence, evidence.options.budget);
  return {
    cause: isTokens ? 'token_budget' : 'money_budget',
    summary: isTokens
      ? `the run used ${used} tokens (${tokensIn} in, ${tokensOut} out) of a budget of ${limits.tokens}`
      : `the run used $${costUsd} of a budget of $${limits.costUsd}`,
    details: [`a budget is checked between two model calls, so the last call may go beyond it`],
    next: [
      advice(
        'carry the conversation on with a larger budget',
        isTokens
          ? inSession(evidence, `--max-tokens ${(limits.tokens ?? 0) * 2}`)
          : inSession(evidence, `--max-cost ${(limits.costUsd ?? 0) * 2}`),
      ),
    ],
  };
}

function sharedBudget(evidence: Evidence, { name, per }: RunBudget): Finding {
  const { tokensIn, tokensOut } = evidence.context;
  return {
    cause: 'shared_budget',
    summary: evidence.output?.error?.message ?? `the shared budget "${name}" is used up`,
    details: [
      `the run used ${tokensIn + tokensOut} tokens of it; what others used is in "detent usage --by run"`,
    ],
    next: [
      advice('see what is left of the budget', 'detent usage'),
      advice(
        `carry the conversation on after budgets.${name} was raised${per === null ? '' : `, or with the next ${per}`}`,
        inSession(evidence, `--budget ${quoted(name)}`),
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
  const inFlight = cut.map(({ n, name }) => {
    const call = name === 'effect.runTool' ? callOf(evidence, n) : null;
    return call ? `it was cut off in: ${callLine(call)}` : `it was cut off in: ${name} (effect ${n})`;
  });
  return {
    cause: 'deadline',
    summary: `the run worked for ${duration(context.spentMs)}, and its limit of working time is ${duration(context.limits.workMs)} (--timeout)`,
    details: [
      `time that it waited for people is not counted`,
      `it was ${where(last?.from ?? '')} when the time was up`,
      ...inFlight,
    ],
    next: [
      advice(
        'carry the conversation on with more time',
        inSession(evidence, `--timeout ${Math.ceil((context.limits.workMs * 2) / 1_000)}s`),
      ),
      ...(before
        ? [advice(`or go on from where it was cut off, ${thenResume}`, again(evidence, row.seq - 1))]
        : []),
    ],
  };
}

function queueExpired(evidence: Evidence): Finding {
  const { blocker, row } = evidence;
  return {
    cause: 'queue_expired',
    summary: `the run waited ${duration((JSON.parse(row.input) as RunInput).limits.queueMs)} behind an earlier run of its session "${row.sessionKey}" and never started`,
    details: blocker ? [`run ${blocker.id} is still in front of it`] : [],
    next: [
      ...(blocker ? [advice('see what the earlier run waits for', `detent runs why ${blocker.id}`)] : []),
      advice('start it again when the session is free', `detent runs list --session ${row.sessionKey}`),
    ],
  };
}

function sameCall(evidence: Evidence): Finding {
  const { times: count, limits } = evidence.context;
  const failed = callsOf(evidence).filter(({ result }) => result?.isError);
  const last = failed.at(-1);
  const same = last
    ? failed.filter((call) => call.tool === last.tool && call.arguments === last.arguments)
    : [];
  const what = last ? `${last.tool}(${brief(last.arguments)})` : 'the same tool call';
  return {
    cause: 'loop',
    summary: `the model made the same failing call ${count} times in a row: ${what} failed with ${codeOf(last)}: ${brief(last?.result?.text ?? '')}`,
    details: [
      ...same.slice(-count).map(callLine),
      `${limits.repeats} times the same failing call is the limit (limits.maxRepeats)`,
    ],
    next: [
      advice('tell the model what to do instead', inSession(evidence, '', 'WHAT TO DO INSTEAD')),
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
    summary: `every tool call of the last ${errors} steps failed, the last one ${last?.tool ?? ''} with ${codeOf(last)}: ${brief(last?.result?.text ?? '')}`,
    details: [
      ...failed.slice(-Math.max(errors, 3)).map(callLine),
      `${limits.errors} steps of that kind in a row are the limit (limits.maxErrors)`,
    ],
    next: [
      advice('mend what the tools complain of, then carry the conversation on', inSession(evidence)),
      ...beforeCalls(evidence, failed.at(-errors)),
    ],
  };
}

/** A fork from before a call: with a better prompt the model may not make it. */
function beforeCalls(evidence: Evidence, call: CallFacts | undefined) {
  const made = evidence.transitions.find(({ event }) => {
    const calls = event.type === 'model.done' ? (event.calls as { callId: number }[]) : [];
    return calls.some(({ callId }) => callId === call?.callId);
  });
  if (!made) return [];
  return [
    advice(
      `or do it over from before the first of them, with other words, ${thenResume}`,
      again(evidence, made.seq - 1, '--edit-message "TEXT"'),
    ),
  ];
}

export function callLine(call: CallFacts): string {
  const { callId, tool, result } = call;
  const ended = result === null ? 'no result yet' : `${result.code ?? result.status}: ${brief(result.text)}`;
  return `${callName(callId)} ${tool}(${brief(call.arguments, 120)}) → ${ended}`;
}

function codeOf(call: CallFacts | undefined): string {
  return call?.result?.code ?? 'an error';
}

/** A state as a stranger would say it. */
export function where(path: string): string {
  const words: Readonly<Record<string, string>> = {
    idle: 'queued',
    'active.working.thinking.requesting': 'waiting for the model',
    'active.working.thinking.backingOff': 'waiting before the next attempt at a model call',
    'active.working.tooling.executing': 'running tools',
    'active.working.compacting.flushing': 'writing to the memory file',
    'active.working.compacting.summarizing': 'summarising the conversation',
    'active.awaitingConfirm': 'waiting for a decision',
    'active.reconciling': 'waiting for a word on an interrupted call',
  };
  return words[path] ?? path;
}
