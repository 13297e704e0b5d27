import { noSchedule, type PerformJobRequest, scheduleJobName } from '../../ports/schedule-job.ts';
import * as z from '../../ports/schema-kinds.ts';
import { defineTool, type Tool, ToolFailure } from '../../ports/tool.ts';

const parameters = z.strictObject({
  action: z.enum(['create', 'list', 'remove']),
  job_id: z.string().min(1).max(150).optional().describe('A short name, such as daily-report'),
  prompt: z.string().trim().min(1).max(100_000).optional().describe('What each run is asked'),
  cron: z.string().max(500).optional().describe('A cron expression, such as 0 9 * * 1-5'),
  every: z.string().max(40).optional().describe('An interval, such as 15m or 24h'),
  at: z.string().max(100).optional().describe('Once, such as 2026-12-24T18:00:00+01:00'),
  timezone: z.string().max(100).optional().describe('Of cron, such as Europe/Berlin'),
  deliver: z
    .enum(['session', 'console'])
    .optional()
    .describe('Where results go: into this conversation (default), or to the console'),
});

/** `schedule_job`: an agent makes, lists and removes jobs of its user. */
export function scheduleJobTool(perform: PerformJobRequest = noSchedule): Tool {
  return defineTool({
    name: scheduleJobName,
    description:
      'Has an agent like you run later or again and again, without this conversation; lists and removes such jobs. ' +
      'To create one give job_id, prompt, and one of cron, every and at. Say in the prompt all that the run must know. ' +
      'A person is asked before a job is created or removed.',
    parameters,
    sideEffect: ({ action }) => (action === 'list' ? 'readonly' : 'idempotent'),
    confirm: ({ action }) => action !== 'list',
    run({ action, job_id: jobId, prompt, timezone: timeZone, deliver = 'session', ...times }, ctx) {
      if (action === 'list') return perform({ action }, ctx);
      if (jobId === undefined) throw missing('job_id');
      if (action === 'remove') return perform({ action, jobId }, ctx);
      if (prompt === undefined) throw missing('prompt');
      return perform({ action, jobId, prompt, ...times, timeZone, deliver }, ctx);
    },
  });
}

function missing(field: string): ToolFailure {
  return new ToolFailure('INVALID_ARGUMENTS', `this action needs ${field}`);
}
