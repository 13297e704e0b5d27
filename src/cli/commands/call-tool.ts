import { DetentError } from '../../protocol/error.ts';
import { nearestName } from '../../text/wording.ts';
import { driveRun } from '../drive/drive.ts';
import { printIds } from '../drive/report-end.ts';
import { withPort } from '../drive/with-detent.ts';
import type { Port } from '../port/port.ts';
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
    await refuseUnknown(port, tool);
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

/** Before the call, which would leave a run behind. @throws DetentError `UNKNOWN_TOOL`. */
async function refuseUnknown(port: Port, tool: string): Promise<void> {
  const names = (await port.ask('tool.list', {})).tools.map(({ name }) => name);
  if (names.includes(tool)) return;
  const nearest = nearestName(tool, names);
  const suggestion = nearest ? `; did you mean "${nearest}"?` : '';
  throw new DetentError('UNKNOWN_TOOL', `there is no tool "${tool}"${suggestion}; see "detent tools list"`);
}
