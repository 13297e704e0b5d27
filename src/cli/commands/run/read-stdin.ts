import { maxPartBytes, sizeText } from '../../../protocol/content.ts';
import { DetentError } from '../../../protocol/error.ts';
import type { NamedBytes } from '../../../runtime/requests.ts';
import type { Io } from '../../terminal/io.ts';

/** Who inherits a pipe from a program that never writes to it must not wait for ever. */
const patienceMs = 3_000;

/** What is on stdin, by default the prompt; stops reading once it is larger than `maxBytes`. */
export async function promptOnStdin(maxBytes: number, { stdin, say }: Io, what = 'prompt'): Promise<string> {
  if (stdin.isTTY) say(`type the ${what}; Ctrl-D ends it`);
  return Buffer.concat(await readUpTo(maxBytes, stdin)).toString('utf8');
}

/**
 * What comes on stdin besides a prompt, as a file that goes with it; null when nothing does. Only a pipe and a file are
 * read: a terminal, `/dev/null` and the socket of a program that starts others are no data.
 *
 * @throws DetentError `ATTACHMENT_TOO_LARGE`
 */
export async function fileOnStdin(quiet: boolean, io: Io): Promise<NamedBytes | null> {
  if (!io.hasData) return null;
  const { stdin } = io;
  if (!(await hasBegun(stdin))) {
    io.say(
      `detent: stdin was silent for ${patienceMs / 1_000} s, so the run starts without it; use "< /dev/null" to skip the wait, or "-" as the prompt to wait for stdin`,
    );
    stdin.destroy();
    return null;
  }
  const data = Buffer.concat(await readUpTo(maxPartBytes, stdin));
  if (data.length > maxPartBytes)
    throw new DetentError(
      'ATTACHMENT_TOO_LARGE',
      `stdin has more than ${sizeText(maxPartBytes)}, so Detent cannot attach it; save it to a file of the workspace, and ask the agent to read the file`,
      { details: { name: 'stdin', maxBytes: maxPartBytes } },
    );
  if (data.length === 0) return null;
  if (!quiet) io.say(`· stdin goes with the prompt as a file (${sizeText(data.length)})`);
  return { name: 'stdin', data };
}

/** Resolves when there is something to read, or the end; to false when neither comes in time. */
function hasBegun(stdin: Io['stdin']): Promise<boolean> {
  if (stdin.readableLength > 0 || stdin.readableEnded) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      stdin.off('readable', begun).off('end', begun).off('error', failed);
      settled();
    };
    const begun = () => settle(() => resolve(true));
    const failed = (error: Error) => settle(() => reject(error));
    const timer = setTimeout(() => settle(() => resolve(false)), patienceMs);
    stdin.on('readable', begun).on('end', begun).on('error', failed);
  });
}

async function readUpTo(maxBytes: number, stdin: Io['stdin']): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return chunks;
}
