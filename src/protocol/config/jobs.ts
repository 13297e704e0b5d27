import * as z from 'zod/mini';
import { jobInput } from '../methods/job-input.ts';
import { field } from './field.ts';

export const jobs = field(z.array(jobInput).check(z.maxLength(1_000)), {
  text: '[Scheduled jobs](schedule.md#jobs-in-the-configuration): prompts that agents get at set times, while `detent serve` or `detent cron serve` runs.',
  default: [],
  example: [{ jobId: 'daily', cron: '0 9 * * 1-5', prompt: 'Sum up yesterday.', delivery: 'console' }],
});
