import { defineTool, ownArguments, type Tool } from '../../protocol/tool.ts';
import type { BackgroundJobs } from '../sandbox/background-jobs.ts';
import { endInWords } from './shell-text.ts';

const parameters = ownArguments({
  id: { type: 'string', minLength: 1, description: 'The id that shell answered' },
});

/** `shell_kill`: ends a background command; one that has ended stays as it is. */
export function shellKillTool(jobs: BackgroundJobs): Tool {
  return defineTool({
    name: 'shell_kill',
    description:
      'Ends a background command of shell and all of its processes. What it printed can still be read with shell_output.',
    parameters,
    sideEffect: 'idempotent',
    async run({ id }, ctx) {
      const job = jobs.get(ctx, id);
      if (job.end) return `${id} had ended before: ${endInWords(job.end)}.`;
      job.running.kill();
      return `${id}: ${endInWords(await job.running.ended)}.`;
    },
  });
}
