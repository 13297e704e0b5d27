import type { FailedOutcome } from './run.types.ts';

/** How a run fails by its own rules: by error code, the outcome and the message. Messages are part of the context's hash. */
export const endings = {
  QUEUE_EXPIRED: [
    'deadline',
    'the run waited too long behind an earlier run of its session; finish or cancel that one, then run again',
  ],
  DEADLINE: ['deadline', 'the run used up its working time; raise the limit (--timeout) or ask for less'],
  POISONED: [
    'poisoned',
    'one effect was started three times and never gave a result: it seems to kill its process; "detent runs show" names it',
  ],
  CONTENT_FILTERED: [
    'content_filtered',
    "the provider's content filter cut the answer; rephrase the request",
  ],
  REFUSED: ['refused', 'the model refused to answer; its words are in the last step'],
  BLOCKED_BY_POLICY: [
    'blocked_by_policy',
    'policy refused the last tool calls and the model got no further; allow the tool or approve its calls',
  ],
  TRUNCATED: [
    'truncated',
    "the answer hit the model's output limit; ask for less, or raise the model's output limit",
  ],
  INVALID_OUTPUT: [
    'invalid_output',
    'the answer does not fit the output schema, although the model was shown the errors; the last step has both',
  ],
  SAME_CALL_FAILED: [
    'loop_detected',
    'the model repeated one failing tool call; the last steps show its result',
  ],
  CONSECUTIVE_ERRORS: [
    'loop_detected',
    'every tool call of the last steps failed; the steps show their results',
  ],
  MAX_STEPS: [
    'max_steps',
    'the run reached its step limit before an answer; raise it (--max-steps) or ask for less',
  ],
  BUDGET_EXHAUSTED: [
    'budget_exhausted',
    'the run used up its token or money budget; raise it (--max-tokens) or ask for less',
  ],
} as const satisfies Record<string, readonly [FailedOutcome, string]>;

export type EndingCode = keyof typeof endings;
