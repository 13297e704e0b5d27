import { DetentError } from '../../../protocol/error.ts';
import { driveRun } from '../../drive/drive.ts';
import { printIds } from '../../drive/report-end.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { outputOptions } from '../../settings/run-options.ts';
import { exit, exitCodeOfRun } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { usableFile } from './find-workflow.ts';
import { jsonFlag } from './json-flag.ts';

/** `detent workflow start WORKFLOW`. */
export async function startWorkflow(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = word(words, 0, 'WORKFLOW');
  const output = outputOptions(flags, io);
  const input = await jsonFlag(flags, 'input', io);
  const key = text(flags, 'key');
  const options = await loadOptions(flags, io);
  // Before a database is made.
  const workflow = options.server ? id : usableFile((await options.machines?.()) ?? [], id).workflow?.id;
  return withDetent(options, async (detent) => {
    const request = {
      ...(key !== undefined && { idempotencyKey: key }),
      ...(flags.detach === true && { isLeft: true }),
    };
    const since = Date.now();
    const handle = detent.workflows.start(workflow ?? id, input ?? null, request);
    await handle.started.catch((error) => {
      throw input === undefined ? namingInput(error) : error;
    });
    if (flags.detach) {
      const runId = await handle.started;
      const { sessionId, status } = await detent.runs.show(runId);
      if (flags.json) io.json({ runId, sessionId, status });
      else io.out(`${runId}\n`);
      if (!output.quiet)
        io.say(`watch it with: detent runs follow ${runId}; or go on here: detent runs resume ${runId}`);
      return exit.ok;
    }
    const driving = {
      ...output,
      interactive: io.isAttended(),
      isWorkflow: true,
      isLeftOnInterrupt: true,
      since,
    };
    const view = await driveRun(detent, handle, driving, io);
    printIds(view, output, io);
    return exitCodeOfRun(view);
  });
}

function namingInput(error: unknown): unknown {
  if (!DetentError.is(error) || error.code !== 'INVALID_INPUT') return error;
  const { code, message, details } = error;
  return new DetentError(code, `${message}; give it with --input JSON, or --input @FILE`, {
    ...(details && { details }),
    cause: error,
  });
}
