import type { StepView, Usage } from '../../../index.ts';
import { addUsage, noTokens } from '../../../protocol/content.ts';
import type { Port } from '../../port/port.ts';

/** The usage of a session so far. */
interface SessionUsage {
  runs: number;
  modelCalls: number;
  tokens: Usage;
  /** Calls without a known price; `tokens.costUsd` does not include them. */
  unpriced: number;
}

const maxRuns = 10_000;

/** Adds up the usage of a session's runs. */
export async function sessionUsage({ ask, show }: Port, session: string): Promise<SessionUsage> {
  const { runs } = await ask('run.list', { sessionId: session, limit: maxRuns });
  const total: SessionUsage = {
    runs: runs.length,
    modelCalls: 0,
    tokens: { ...noTokens, costUsd: null },
    unpriced: 0,
  };
  for (const { runId } of runs) {
    const { usage, steps } = await show(runId);
    total.modelCalls += steps.length;
    total.unpriced += steps.filter(isUnpriced).length;
    total.tokens = addUsage(total.tokens, usage);
  }
  return total;
}

/** Usage as text; costs are in US dollars. */
export function describeUsage(session: string, { runs, modelCalls, tokens, unpriced }: SessionUsage): string {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens, costUsd } = tokens;
  const cached = cachedInputTokens > 0 ? ` (${count(cachedInputTokens)} cached)` : '';
  const reasoning = reasoningTokens > 0 ? ` (${count(reasoningTokens)} reasoning)` : '';
  const missing =
    unpriced > 0 && costUsd !== null ? `, and ${some(unpriced, 'call')} without a known price` : '';
  return [
    `session  ${session}: ${some(runs, 'run')}, ${some(modelCalls, 'model answer')}`,
    `tokens   ${count(inputTokens)} in${cached}, ${count(outputTokens)} out${reasoning}`,
    `cost     ${costUsd === null ? 'unknown: no price is configured' : `$${costUsd.toFixed(4)}${missing}`}`,
  ].join('\n');
}

function isUnpriced({ usage }: StepView): boolean {
  return usage !== null && usage.costUsd === null;
}

function some(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
