import * as z from 'zod/mini';
import { messageOf } from '../protocol/error.ts';
import { parseJson } from '../protocol/json.ts';
import type { ChatModel } from '../protocol/ports.ts';
import { openToRead } from '../text/files.ts';
import { type ScriptedAnswer, say } from './scripted-model.ts';

const line = z.strictObject({
  text: z.optional(z.string()),
  output: z.optional(z.unknown()),
  reasoning: z.optional(z.string()),
  refusal: z.optional(z.string()),
  toolCalls: z.optional(z.array(z.strictObject({ name: z.string(), arguments: z.optional(z.unknown()) }))),
  finish: z.optional(z.enum(['stop', 'toolCalls', 'length', 'contentFilter', 'refusal'])),
  error: z.optional(z.looseObject({ message: z.optional(z.string()), retryable: z.optional(z.boolean()) })),
});
const script = z.array(line);

const maxBytes = 16 * 1024 * 1024;

/**
 * A model that says the answers of a JSON file, for the command line. It keeps no place: the answer behind n answers of a conversation
 * is number n + 1, so a run goes on in the right place in another process, too. An answer with `error` is said once.
 *
 * @param path absolute
 */
export function scriptFile(path: string): ChatModel {
  /** By run: failures that it has had, which no conversation shows. */
  const failures = new Map<string, number>();
  let lines: Promise<ScriptedAnswer[]> | null = null;
  const nextLine = async (said: number, run: string): Promise<ScriptedAnswer> => {
    lines ??= readScript(path);
    const all = await lines;
    const failed = failures.get(run) ?? 0;
    const next = all[said + failed];
    if (next?.error) failures.set(run, failed + 1);
    return next ?? fault(`${path} has ${all.length} answers, and the run asks for another one`);
  };
  return {
    price: { inputUsd: 0, outputUsd: 0 },
    async generate(request, options) {
      const said = request.messages.filter(({ role }) => role === 'assistant').length;
      const [run = ''] = options.idempotencyKey.split(':');
      const answer = await nextLine(said, run).catch((error: unknown) => fault(messageOf(error)));
      return say(request, answer, options);
    },
  };
}

async function readScript(path: string): Promise<ScriptedAnswer[]> {
  await using file = await openToRead(path);
  if ((await file.stat()).size > maxBytes) throw new Error(`${path} has more than ${maxBytes} bytes`);
  const value = parseJson((await file.readFile()).toString('utf8'));
  if (value === undefined) throw new Error(`${path} is not JSON`);
  const { data, error } = script.safeParse(value);
  if (error) throw new Error(`${path} is not a list of answers: ${z.prettifyError(error)}`);
  return data as ScriptedAnswer[];
}

function fault(message: string): ScriptedAnswer {
  return { error: { code: 'SCRIPT_INCOMPLETE', message } };
}
