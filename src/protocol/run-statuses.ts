/**
 * What a run that has not ended is doing, read off its rows: `waiting` needs a person, `decided` was decided on, or got a
 * message, while no process drove it, and waits for `resume`, `interrupted` has begun work and no driver, `queued` waits for an
 * earlier run of its session, `unstarted` is a fork that nobody has resumed: no time passes for it.
 */
export const unfinishedStatuses = [
  'queued',
  'unstarted',
  'running',
  'waiting',
  'decided',
  'interrupted',
] as const;

export const runStatuses = [...unfinishedStatuses, 'done', 'failed', 'cancelled'] as const;

/** How a run ended: of an agent, or of a workflow. */
export const outcomes = [
  ...(['completed', 'completed_degraded', 'done', 'failed', 'cancelled'] as const),
  ...(['max_steps', 'budget_exhausted', 'deadline', 'loop_detected', 'refused', 'content_filtered'] as const),
  ...(['truncated', 'blocked_by_environment', 'blocked_by_policy', 'invalid_output'] as const),
  ...(['provider_error', 'internal_error', 'poisoned'] as const),
] as const;
