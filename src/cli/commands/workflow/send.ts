import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, usage, word } from '../../settings/flags.ts';
import { loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { outputOptions } from '../../settings/run-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { findAgentRun } from '../runs/find-agent-run.ts';
import { resumeRun } from '../runs/resume.ts';
import { objectFlag } from './json-flag.ts';

/** `detent workflow send RUN EVENT`. */
export async function sendToWorkflow(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  const type = word(words, 1, 'EVENT');
  const output = outputOptions(flags, io);
  const data = await objectFlag(flags, 'data', io);
  if (data !== undefined && 'type' in data)
    throw usage('--data has the fields beside "type", which EVENT names');
  const key = text(flags, 'key');
  const options = await loadOptions(flags, io);
  requireDatabase(options, named);
  return withDetent(options, async (detent) => {
    const runId = await findAgentRun(detent, named);
    const by = key === undefined ? {} : { idempotencyKey: key };
    const isTaken = await detent.workflows.send(runId, { ...data, type }, by);
    const { status } = await detent.runs.show(runId);
    const isToFollow = isTaken && flags.detach !== true;
    if (flags.json && !isToFollow) io.json({ runId, taken: isTaken, status });
    if (isToFollow) return resumeRun(detent, runId, {}, output, io);
    if (isTaken) {
      if (!flags.json) io.out('sent\n');
      return exit.ok;
    }
    io.say(`detent: run ${runId} does not take "${type}" now; see what it takes: detent runs why ${runId}`);
    return exit.failed;
  });
}
