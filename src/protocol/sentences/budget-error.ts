import { budgetResets } from '../enums.ts';
import { fill, type Sentence, type Wording } from './fill.ts';

/** Why a budget that runs share lets no call begin, and what to do. */
export const budgetErrors = {
  budget_used_up: `budget "{name}"[ of user "{user}"] is used up: {used}; raise budgets.{field} in the configuration[, or wait: ${budgetResets} {per} (UTC)]`,
  budget_held:
    'budget "{name}" was reserved by {count} other calls for {minutes} minutes; raise budgets.{field} in the configuration, or let fewer runs share it',
} as const;

/** What is used of a budget, and when it is new. */
export const budgetParts = {
  budget_tokens: '{spent} of {max} tokens',
  budget_money: '{spent} of {max}',
  budget_day: 'day',
  budget_month: 'month',
} as const;

const english: Wording = {
  ...{ duration: String, time: String, due: String, status: String, separator: ', ' },
  sentence: ({ code, params }) =>
    Object.hasOwn(budgetParts, code)
      ? fill(budgetParts[code as keyof typeof budgetParts], params, english)
      : code,
};

/** Such an error in English. @param params the values that its text names */
export function budgetErrorText(code: keyof typeof budgetErrors, params: Sentence['params']): string {
  return fill(budgetErrors[code], params, english);
}

/** `4300 of 10 tokens, $0.1000 of $0.05`. */
export function usesIn(text: string): Sentence[] {
  return [...text.matchAll(/(\$?[\d.]+) of (\$?[\d.]+)/g)].map(([, spent = '', max = '']) => ({
    code: spent.startsWith('$') ? 'budget_money' : 'budget_tokens',
    params: { spent, max },
  }));
}
