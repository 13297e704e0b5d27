import { field, group } from './field.ts';
import { limitKinds } from './limit-kinds.ts';
import { count, countOrNone, positive } from './values.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const schemas = { count, countOrNone, positive };

export const limits = group('Limits of one run. The numbers are the defaults, where there is one.', {
  maxSteps: field(schemas[limitKinds.maxSteps], { text: 'Maximum of model answers.', default: 50 }),
  maxTokens: field(schemas[limitKinds.maxTokens], {
    text: 'Maximum of input and output tokens.',
    defaultText: 'no limit',
    example: 200_000,
  }),
  maxCostUsd: field(schemas[limitKinds.maxCostUsd], {
    text: 'Maximum cost in US dollars; the model needs a [price](#a-provider).',
    defaultText: 'no limit',
    example: 0.5,
  }),
  maxRetries: field(schemas[limitKinds.maxRetries], { text: 'Retries of a failed model call.', default: 3 }),
  timeoutMs: field(schemas[limitKinds.timeoutMs], {
    text: 'Timeout of the run. Time in which it waits for a person does not count.',
    default: 30 * minuteMs,
  }),
  maxPromptBytes: field(schemas[limitKinds.maxPromptBytes], {
    text: 'Maximum size of a prompt, in bytes of UTF-8.',
    default: 1_000_000,
  }),
  maxErrors: field(schemas[limitKinds.maxErrors], {
    text: 'Consecutive steps in which every tool call failed, before the run fails.',
    default: 3,
  }),
  maxRepeats: field(schemas[limitKinds.maxRepeats], {
    text: 'Failures of the same tool call with the same arguments, before the run fails.',
    default: 3,
  }),
  parallelCalls: field(schemas[limitKinds.parallelCalls], {
    text: 'Read-only tool calls that run at the same time.',
    default: 4,
  }),
  confirmExpiryMs: field(schemas[limitKinds.confirmExpiryMs], {
    text: 'After this time an undecided call is rejected, and the run continues.',
    default: 7 * dayMs,
  }),
  reconcileExpiryMs: field(schemas[limitKinds.reconcileExpiryMs], {
    text: 'After this time the model learns that the outcome of an interrupted call is unknown, and the run continues.',
    default: 7 * dayMs,
  }),
  queueExpiryMs: field(schemas[limitKinds.queueExpiryMs], {
    text: 'After this time a run that is still queued fails.',
    default: dayMs,
  }),
});
