import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { DetentError, messageOf } from '../protocol/error.ts';
import { parseJson } from '../protocol/json.ts';
import type { ChatModel, ModelRequest } from '../protocol/ports.ts';
import { openToRead } from '../text/files.ts';
import { didYouMean } from '../text/wording.ts';
import { ruleModel, type ScriptedAnswer } from './scripted-model.ts';

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
 * is number n + 1, so a run continues in the right place in another process, too. An answer with `error` is given once. What is wrong
 * with the file is an error of each run that is to begin with it, and of no other command.
 *
 * @param folder from where a relative `file` counts; absolute
 */
export async function scriptFile(file: string, folder: string): Promise<ChatModel> {
  const path = resolve(folder, file);
  /** By run: failures that it has had, which no conversation shows. */
  const failures = new Map<string, number>();
  const read = await readScript(path, folder).catch(
    (error: unknown) => new DetentError('INVALID_SCRIPT', messageOf(error)),
  );
  const nextLine = (said: number, run: string): ScriptedAnswer => {
    if (read instanceof DetentError) return { error: { code: read.code, message: read.message } };
    const failed = failures.get(run) ?? 0;
    const next = read[said + failed];
    if (next?.error) failures.set(run, failed + 1);
    const message = `${path} has ${read.length} answers, and the run asks for another one`;
    return next ?? { error: { code: 'SCRIPT_ENDED', message } };
  };
  const model = ruleModel((request, { idempotencyKey }) => {
    const said = request.messages.filter(({ role }) => role === 'assistant').length;
    const [run = ''] = idempotencyKey.split(':');
    const line = nextLine(said, run);
    const fault = unknownTool(line, request);
    return fault ? { error: { code: 'INVALID_SCRIPT', message: `${path}: ${fault}` } } : line;
  });
  return {
    ...model,
    check() {
      if (read instanceof DetentError) throw read;
    },
  };
}

/** A call of a tool that the run does not have would be refused, and the run end well. */
function unknownTool({ toolCalls = [] }: ScriptedAnswer, { tools }: ModelRequest): string | null {
  const known = tools.map(({ name }) => name);
  const unknown = toolCalls.find(({ name }) => !known.includes(name));
  if (!unknown) return null;
  return `an answer calls "${unknown.name}", a tool that the run does not have${didYouMean(unknown.name, known)}; it has ${known.join(', ') || 'none'}`;
}

async function readScript(path: string, folder: string): Promise<ScriptedAnswer[]> {
  await using file = await openToRead(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`there is no ${path}: script/FILE names a JSON file by its path from ${folder}`);
  });
  if ((await file.stat()).size > maxBytes) throw new Error(`${path} has more than ${maxBytes} bytes`);
  const value = parseJson((await file.readFile()).toString('utf8'));
  if (value === undefined) throw new Error(`${path} is not JSON`);
  const { data, error } = script.safeParse(value);
  if (error) throw new Error(`${path} is not a list of answers: ${z.prettifyError(error)}`);
  return data as ScriptedAnswer[];
}

export type { ScriptedAnswer } from './scripted-model.ts';
