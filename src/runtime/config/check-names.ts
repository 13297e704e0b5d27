import { findUsableModel } from '../../models/find-model.ts';
import { DetentError } from '../../protocol/error.ts';
import type { ConfiguredNames } from '../../schedule/job-host.ts';
import type { DetentOptions } from './detent-options.ts';
import { type FoundAgent, findAgent } from './find-agent.ts';
import { findBudget } from './find-budget.ts';

/**
 * Checks what a job names against the configuration, without a database. The key of its model may be missing here: the process that
 * runs the schedule has its own.
 *
 * @returns its agent
 * @throws DetentError `UNKNOWN_AGENT`, `UNKNOWN_MODEL`, `AMBIGUOUS_MODEL`, `UNKNOWN_BUDGET`; what a model of the program's own throws from `check`.
 */
export function checkNames(
  { agents, budgets, models = {}, env = process.env }: DetentOptions,
  { agent, model = null, budget }: ConfiguredNames,
): FoundAgent {
  const found = findAgent(agent ?? undefined, agents);
  if (budget !== null) findBudget(budget, budgets);
  if (model === null) return found;
  try {
    findUsableModel(model, null, models, env);
  } catch (error) {
    if (!DetentError.is(error) || error.code !== 'MISSING_KEY') throw error;
  }
  return found;
}
