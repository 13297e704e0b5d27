import { createDetent } from '../index.ts';
import { loadOptions } from './config-file.ts';
import { driveRun } from './drive.ts';
import { parse, usage } from './parse.ts';
import { outputOptions, runFlags, runRequest } from './run-options.ts';

/** More than this is not read from stdin; the run's own limit is checked after it. */
const mostStdinBytes = 64_000_000;

/** `detent run [prompt|-]`. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const { flags, words } = parse(args, runFlags, 1);
  const output = outputOptions(flags);
  const request = runRequest(flags);
  const [word] = words;
  if (word === undefined) throw usage('there is no prompt: give one in quotes, or - to read it from stdin');
  const options = await loadOptions(flags);
  const prompt = word === '-' ? await readStdin() : word;
  const { checkPrompt } = await import('../run-request.ts');
  checkPrompt(prompt, options.limits);
  const detent = createDetent(options);
  try {
    // What an earlier process left in this session comes first in its lane.
    if (request.session !== undefined) await detent.runs.resume({ session: request.session });
    const handle = detent.run(prompt, request);
    const interactive =
      process.stdin.isTTY === true &&
      word !== '-' &&
      (request.approve ?? options.policy?.approve ?? 'ask') === 'ask';
    return await driveRun(detent, handle, { ...output, interactive });
  } finally {
    await detent.close();
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += chunk.length;
    if (bytes > mostStdinBytes) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
