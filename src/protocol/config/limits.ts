import { defaults, limitKinds } from '../enums.ts';
import { field, group } from './field.ts';
import { count, countOrNone, positive } from './values.ts';

const schemas = { count, countOrNone, positive };

export const limits = group('Limits of one run. The numbers are the defaults, where there is one.', {
  maxSteps: field(schemas[limitKinds.maxSteps], {
    text: 'Maximum of model answers.',
    default: defaults.limits.maxSteps,
  }),
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
  maxRetries: field(schemas[limitKinds.maxRetries], {
    text: 'Retries of a failed model call.',
    default: defaults.limits.maxRetries,
  }),
  timeoutMs: field(schemas[limitKinds.timeoutMs], {
    text: 'Timeout of the run. Time in which it waits for a person does not count.',
    default: defaults.limits.timeoutMs,
  }),
  maxPromptBytes: field(schemas[limitKinds.maxPromptBytes], {
    text: 'Maximum size of a prompt, in bytes of UTF-8.',
    default: defaults.limits.maxPromptBytes,
  }),
  maxErrors: field(schemas[limitKinds.maxErrors], {
    text: 'Consecutive steps in which every tool call failed, before the run fails.',
    default: defaults.limits.maxErrors,
  }),
  maxRepeats: field(schemas[limitKinds.maxRepeats], {
    text: 'How often the same tool call with the same arguments may fail before the run fails.',
    default: defaults.limits.maxRepeats,
  }),
  parallelCalls: field(schemas[limitKinds.parallelCalls], {
    text: 'Read-only tool calls that run at the same time.',
    default: defaults.limits.parallelCalls,
  }),
  confirmExpiryMs: field(schemas[limitKinds.confirmExpiryMs], {
    text: 'After this time an undecided call is rejected, and the run continues.',
    default: defaults.limits.confirmExpiryMs,
  }),
  reconcileExpiryMs: field(schemas[limitKinds.reconcileExpiryMs], {
    text: 'After this time the model learns that the outcome of an interrupted call is unknown, and the run continues.',
    default: defaults.limits.reconcileExpiryMs,
  }),
  queueExpiryMs: field(schemas[limitKinds.queueExpiryMs], {
    text: 'After this time a run that is still queued fails.',
    default: defaults.limits.queueExpiryMs,
  }),
});
