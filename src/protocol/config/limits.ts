import { field, group } from './field.ts';
import { count, countOrNone, positive } from './values.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export const limits = group('Of one run. The numbers are the defaults, where there is one.', {
  maxSteps: field(count, { text: 'Answers of the model.', default: 50 }),
  maxTokens: field(count, { text: 'Tokens in and out.', defaultText: 'no limit', example: 200_000 }),
  maxCostUsd: field(positive, {
    text: 'US dollars; needs the [price](#a-provider) of the model.',
    defaultText: 'no limit',
    example: 0.5,
  }),
  maxRetries: field(countOrNone, { text: 'Repeats of a failed model call.', default: 3 }),
  timeoutMs: field(positive, { text: 'Working time. Waiting does not count.', default: 30 * minuteMs }),
  maxPromptBytes: field(count, { text: 'Size of a prompt, in UTF-8.', default: 1_000_000 }),
  maxErrors: field(count, { text: 'Steps in a row whose every call failed.', default: 3 }),
  maxRepeats: field(count, { text: 'Times that the same call fails.', default: 3 }),
  parallelCalls: field(count, { text: 'Read-only calls side by side.', default: 4 }),
  confirmExpiryMs: field(positive, {
    text: 'After this time undecided calls count as rejected, and the run goes on.',
    default: 7 * dayMs,
  }),
  reconcileExpiryMs: field(positive, {
    text: 'After this time the model learns that the outcome of a call is unknown, and the run goes on.',
    default: 7 * dayMs,
  }),
  queueExpiryMs: field(positive, {
    text: 'After this time a run that is still queued fails.',
    default: dayMs,
  }),
});
