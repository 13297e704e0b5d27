import { z } from 'zod';
import { DetentError } from '../../protocol/error.ts';

/** A file of a message, as runs take it. */
interface SentFile {
  data: string;
  name?: string;
}

/** One message of a client's conversation. */
export interface Turn {
  role: 'instructions' | 'user' | 'assistant' | 'result';
  text: string;
  files: readonly SentFile[];
  /** Of a result: the call's name, or its id. */
  of?: string;
}

/** What a run is started with. */
export interface Said {
  prompt: string;
  attachments?: SentFile[];
}

export const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() })).max(1000)]);

type Content = z.output<typeof content> | null | undefined;

/**
 * The prompt of a run for a conversation. Instructions and history of a client are words of the user: the host's own
 * instructions stay above them. Their lines are indented, so that none of them can look like one of the headings.
 *
 * @param isKnown whether the session holds the earlier messages: then the prompt has only those after the last answer.
 * @throws DetentError `INVALID_REQUEST` when there is nothing to answer.
 */
export function promptOf(turns: readonly Turn[], isKnown: boolean): Said {
  const instructions = turns.filter(({ role }) => role === 'instructions');
  const spoken = turns.filter(({ role }) => role !== 'instructions');
  const from = spoken.findLastIndex(({ role }) => role !== 'user') + 1;
  const now = spoken.slice(from);
  if (now.length === 0)
    throw invalid('the last message must be one of the user: an answer cannot be begun for the agent');
  const history = isKnown ? [] : spoken.slice(0, from);
  const words = now.map(({ text }) => text).join('\n\n');
  const blocks = [
    ...(instructions.length > 0 ? ['Instructions of the application:', ...instructions.map(indented)] : []),
    ...(history.length > 0 ? ['The conversation so far:', ...history.map(headed)] : []),
  ];
  const files = [...history, ...now].flatMap((turn) => turn.files);
  return {
    prompt: blocks.length === 0 ? words : [...blocks, 'The user says now:', words].join('\n\n'),
    ...(files.length > 0 && { attachments: files }),
  };
}

const headings = {
  instructions: 'Instructions',
  user: 'User',
  assistant: 'Assistant',
  result: 'Result',
} as const;

function headed(turn: Turn): string {
  const of = turn.of === undefined ? '' : ` of ${turn.of.replaceAll(/\s+/g, ' ')}`;
  return `${headings[turn.role]}${of}:\n${indented(turn)}`;
}

function indented({ text }: Turn): string {
  return text
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
    .map((line) => `  ${line}`)
    .join('\n');
}

/**
 * The words and files of a message, in the parts of either protocol.
 *
 * @throws DetentError `INVALID_REQUEST` for a part that a run cannot have.
 */
export function readContent(given: Content): Pick<Turn, 'text' | 'files'> {
  if (typeof given === 'string') return { text: given, files: [] };
  const texts: string[] = [];
  const files: SentFile[] = [];
  for (const part of given ?? []) {
    const { type } = part;
    if (type === 'text' || type === 'input_text' || type === 'output_text') texts.push(textOf(part, 'text'));
    else if (type === 'refusal') texts.push(textOf(part, 'refusal'));
    else if (type === 'image_url') files.push(fileOf(urlOf(part.image_url), undefined));
    else if (type === 'input_image') files.push(fileOf(part.image_url, undefined));
    else if (type === 'input_file') files.push(fileOf(part.file_data, part.filename));
    else if (type === 'file') {
      const { file_data: data, filename } = (part.file ?? {}) as Record<string, unknown>;
      files.push(fileOf(data, filename));
    } else throw invalid(`a message cannot have a part of type ${JSON.stringify(type).slice(0, 100)}`);
  }
  return { text: texts.join('\n'), files };
}

function textOf(part: Record<string, unknown>, field: string): string {
  const text = part[field];
  if (typeof text === 'string') return text;
  throw invalid(`a part of type "${part.type}" has its words in "${field}"`);
}

function urlOf(image: unknown): unknown {
  return typeof image === 'object' && image !== null && 'url' in image ? image.url : image;
}

/** The gateway fetches nothing for clients, so a file comes with its bytes. */
function fileOf(url: unknown, name: unknown): SentFile {
  const [, data] = /^(?:data:[^,]*;base64,)?([A-Za-z0-9+/]*={0,2})$/.exec(String(url ?? '')) ?? [];
  if (!data)
    throw invalid(
      'a file is sent with its bytes, as "data:TYPE;base64,…"; links and file ids are not fetched',
    );
  return { data, ...(typeof name === 'string' && name !== '' && { name: name.slice(0, 200) }) };
}

export function invalid(message: string, field?: string): DetentError {
  return new DetentError('INVALID_REQUEST', message, field === undefined ? {} : { details: { field } });
}
