import type { RunInput } from '../../../../machines/run.types.ts';
import type { RunBudget } from '../../../store/run-options.ts';
import { callName } from '../../../store/stored-call.ts';
import { duration, shellWord } from '../../../text/wording.ts';
import { brief } from './chain.ts';
import { type CallFacts, callOf, callsOf, type Evidence } from './evidence.ts';
import { advice, continueWith, type Finding, forkAt, thenResume } from './finding.ts';

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
    summary: `the model took ${steps} of ${limits.steps} allowed steps and had not finished: its last answer asked for tools again`,
    details: ['the last calls were:', ...callsOf(evidence).slice(-3).map(callLine)],
    next: [
      advice(
        'continue the conversation with more steps',
        continueWith(evidence, `--max-steps ${limits.steps * 2}`),
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
    details: [`Detent checks the budget between model calls, so the last call may exceed it`],
    next: [
      advice(
        'continue the conversation with a larger budget',
        isTokens
          ? continueWith(evidence, `--max-tokens ${(limits.tokens ?? 0) * 2}`)
          : continueWith(evidence, `--max-cost ${(limits.costUsd ?? 0) * 2}`),
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
      `this run used ${tokensIn + tokensOut} tokens of it; "detent usage --by run" shows the other runs`,
    ],
    next: [
      advice('see what is left of the budget', 'detent usage'),
      advice(
        `continue the conversation after you raise budgets.${name}${per === null ? '' : `, or in the next ${per}`}`,
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
  const inFlight = cut.map(({ n, name }) => {
    const call = name === 'effect.runTool' ? callOf(evidence, n) : null;
    return `the deadline aborted: ${call ? callLine(call) : `${name} (effect ${n})`}`;
  });
  return {
    cause: 'deadline',
    summary: `the run worked for ${duration(context.spentMs)}, and its maximum working time is ${duration(context.limits.workMs)} (--timeout)`,
    details: [
      `time spent waiting for people does not count`,
      `it was ${where(last?.from ?? '')} at its deadline`,
      ...inFlight,
    ],
    next: [
      advice(
        'continue the conversation with more time',
        continueWith(evidence, `--timeout ${Math.ceil((context.limits.workMs * 2) / 1_000)}s`),
      ),
      ...(before
        ? [advice(`or fork it from before its deadline, ${thenResume}`, forkAt(evidence, row.seq - 1))]
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
      ...(blocker ? [advice('see why the earlier run waits', `detent runs why ${blocker.id}`)] : []),
      advice('start it again when the session is free', `detent runs list --session ${row.sessionKey}`),
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
  const what = last ? `${last.name}(${brief(last.arguments)})` : 'the same tool call';
  return {
    cause: 'loop',
    summary: `the model made the same failing call ${count} times in a row: ${what} failed with ${codeOf(last)}: ${brief(last?.result?.text ?? '')}`,
    details: [
      ...same.slice(-count).map(callLine),
      `the maximum is ${limits.repeats} times the same failing call (limits.maxRepeats)`,
    ],
    next: [
      advice('say what the model should do instead', continueWith(evidence, '', 'WHAT TO DO INSTEAD')),
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
    summary: `every tool call of the last ${errors} steps failed, the last one ${last?.name ?? ''} with ${codeOf(last)}: ${brief(last?.result?.text ?? '')}`,
    details: [
      ...failed.slice(-Math.max(errors, 3)).map(callLine),
      `the maximum is ${limits.errors} failing steps in a row (limits.maxErrors)`,
    ],
    next: [
      advice('fix what the tools report, then continue the conversation', continueWith(evidence)),
      ...beforeCalls(evidence, failed.at(-errors)),
    ],
  };
}

/** A fork from before a call: with a better prompt the model may not make that call. */
function beforeCalls(evidence: Evidence, call: CallFacts | undefined) {
  const made = evidence.transitions.find(({ event }) =>
    event.calls?.some(({ callId }) => callId === call?.callId),
  );
  if (!made) return [];
  return [
    advice(
      `or fork the run from before the first of them, with another prompt, ${thenResume}`,
      forkAt(evidence, made.seq - 1, '--edit-message "TEXT"'),
    ),
  ];
}

export function callLine(call: CallFacts): string {
  const { callId, name, result } = call;
  const ended = result === null ? 'no result yet' : `${result.code ?? result.status}: ${brief(result.text)}`;
  return `${callName(callId)} ${name}(${brief(call.arguments, 120)}) → ${ended}`;
}

function codeOf(call: CallFacts | undefined): string {
  return call?.result?.code ?? 'an error';
}

/** A state in words that need no knowledge of the machine. */
export function where(path: string): string {
  const words: Readonly<Record<string, string>> = {
    idle: 'queued',
    requesting: 'waiting for the model',
    backingOff: 'waiting before the next attempt at a model call',
    executing: 'running tools',
    flushing: 'writing to the memory file',
    summarizing: 'compacting the conversation',
    awaitingConfirm: 'waiting for a decision',
    reconciling: 'waiting for a decision on an interrupted call',
  };
  return words[path.split('.').at(-1) ?? ''] ?? path;
}
