/** Why a budget that runs share lets no call begin, and what to do. */
export const budgetErrors = {
  budget_used_up:
    'budget "{name}"[ of user "{user}"] is used up[: {spent} of {max} tokens][ ({spentUsd} of {maxUsd})]; raise budgets.{name} in the configuration[, or wait: it resets with the next {per} (UTC)]',
  budget_held:
    'budget "{name}" was reserved by {count} other calls for {minutes} minutes; raise budgets.{name} in the configuration, or let fewer runs share it',
} as const;
