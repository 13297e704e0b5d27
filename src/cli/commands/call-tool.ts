import { driveRun } from '../drive/drive.ts';
import { printIds } from '../drive/report-end.ts';
import { withPort } from '../drive/with-detent.ts';
import { type Flags, text, word } from '../settings/flags.ts';
import { loadOptions } from '../settings/load-options.ts';
import { outputOptions, runRequest } from '../settings/run-options.ts';
import { exitCodeOfRun } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { readJsonObject } from './read-json.ts';

/** `detent tools call TOOL [JSON]`. */
export async function callTool(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const tool = word(words, 0, 'TOOL');
  const output = outputOptions(flags, io);
  const { sessionId, agent, approve } = runRequest(flags, io);
  const idempotencyKey = text(flags, 'key');
  const options = await loadOptions(flags, io);
  const input = words[1] === undefined ? {} : await readJsonObject(words[1], 'JSON', io);
  return withPort(options, async (port) => {
    const { runId } = await port.ask('tool.call', {
      tool,
      input,
      sessionId,
      agent,
      approve,
      idempotencyKey,
    });
    const driving = { ...output, interactive: io.isAttended() };
    const view = await driveRun(port, port.attach(runId), driving, io);
    printIds(view, output, io);
    return exitCodeOfRun(view);
  });
}
