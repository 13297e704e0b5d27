import { defineTool, ownArguments, type Tool } from '../../protocol/tool.ts';
import { inTime } from '../../text/limiter.ts';
import { type FileRules, noFileRules } from '../files/file-rules.ts';
import { noteCommand } from '../files/note-reading.ts';
import type { BackgroundJobs } from '../sandbox/background-jobs.ts';
import { endInWords, seconds, shellText } from './shell-text.ts';

const maxWaitMs = 60_000;

const parameters = ownArguments(
  { id: { type: 'string', minLength: 1, description: 'The id that shell answered' } },
  {
    waitMs: {
      type: 'integer',
      minimum: 0,
      maximum: maxWaitMs,
      description: 'Milliseconds to wait for the end; default 0',
    },
  },
);

/** `shell_output`: what a background command has printed since the last call. */
export function shellOutputTool(jobs: BackgroundJobs, files: FileRules = noFileRules): Tool {
  return defineTool({
    name: 'shell_output',
    description:
      'What a background command of shell has printed since the last call, and whether it is still running. ' +
      'With waitMs it first waits until the command ends, at most so long.',
    parameters,
    sideEffect: 'readonly',
    timeoutMs: maxWaitMs + 10_000,
    async run({ id, waitMs = 0 }, ctx) {
      const job = jobs.get(ctx, id);
      if (waitMs > 0) await inTime(job.running.ended, waitMs, undefined, ctx.signal);
      const { end, startedAt, output } = job;
      const note = end ? endInWords(end) : `still running, for ${seconds(performance.now() - startedAt)}`;
      const text = shellText(output.take(), note);
      await noteCommand(files, ctx, text);
      return text;
    },
  });
}
