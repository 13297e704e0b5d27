import { defaults } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunBudget } from '../../store/run-options.ts';
import { didYouMean } from '../../text/wording.ts';
import type { DetentOptions } from './detent-options.ts';

/** A budget of the configuration. @throws DetentError `UNKNOWN_BUDGET`, which lists the known budgets. */
export function findBudget(name: string, budgets: DetentOptions['budgets'] = {}): RunBudget {
  if (!Object.hasOwn(budgets, name)) throw unknownBudget(name, Object.keys(budgets));
  const { maxTokens = null, maxCostUsd = null, per = null, each, all, sentence } = budgets[name] ?? {};
  const shared = { name, maxTokens, maxCostUsd, per };
  if (each === undefined) {
    if (all === undefined && sentence === undefined) return shared;
    throw new DetentError(
      'INVALID_CONFIG',
      `budgets.${name} has ${all ? 'all' : 'sentence'}, which only a budget with each: 'user' has`,
    );
  }
  return {
    ...shared,
    each,
    all: { maxTokens: all?.maxTokens ?? null, maxCostUsd: all?.maxCostUsd ?? null },
    sentence: sentence ?? defaults.budgetSentence,
  };
}

function unknownBudget(name: string, known: readonly string[]): DetentError {
  const rest =
    known.length === 0 ? 'the configuration has none (field "budgets")' : `there are ${known.join(', ')}`;
  return new DetentError(
    'UNKNOWN_BUDGET',
    `there is no budget "${name}"${didYouMean(name, known)}; ${rest}`,
    { details: { name, known } },
  );
}
