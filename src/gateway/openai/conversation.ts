import * as z from 'zod/mini';
import { DetentError } from '../../protocol/error.ts';
import { shown } from '../../protocol/json.ts';
import { readCallName } from './ids.ts';

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
  /** Of a result: the id of its call, as the client wrote it. */
  callId?: string;
  /** Of an answer: the ids of its calls. */
  calls?: readonly string[];
}

/** What a run is started with. */
interface Said {
  prompt: string;
  attachments?: SentFile[];
}

/** Results of calls that one of our runs made of the client's tools. */
export interface GivenResults {
  runId: string;
  /** The newest of them, `c7`: it says which calls of the run are meant. */
  newest: string;
  /** By call; the results of earlier calls of the run may be among them. */
  texts: ReadonlyMap<string, string>;
  /** Whether the request ends with them, and so goes on with the run. */
  isLast: boolean;
  /** Whether files came with one of them. */
  hasFiles: boolean;
}

/** Characters of a prompt, as `agent.run` takes them. */
const maxPrompt = 2_000_000;

/** A client's conversation: for a new run, and for the run that waits for results in it, if there is one. */
export interface Conversation {
  /**
   * What a new run is started with; the results for a run that waits may be longer than a prompt.
   *
   * @throws DetentError `PROMPT_TOO_LARGE`.
   */
  said(): Said;
  results: GivenResults | null;
}

/**
 * Reads the messages of a client.
 *
 * @param isKnown whether the session holds the earlier messages.
 * @throws DetentError `INVALID_REQUEST` when there is nothing to answer, and for results that fit no calls.
 */
export function conversationOf(turns: readonly Turn[], isKnown: boolean): Conversation {
  const { history, now, instructions } = partsOf(turns, isKnown);
  return { said: () => promptOf(instructions, history, now), results: resultsIn(turns) };
}

/** The results since the user spoke before them. Null when they answer no calls of ours. */
function resultsIn(turns: readonly Turn[]): GivenResults | null {
  const spoken = turns.filter(({ role }) => role !== 'instructions');
  const end = spoken.findLastIndex(({ role }) => role !== 'user') + 1;
  const begin = spoken.slice(0, end).findLastIndex(({ role }) => role === 'user') + 1;
  const open = spoken.slice(begin, end);
  const results = open.filter(({ role }) => role === 'result');
  const known = new Set(open.flatMap(({ calls = [] }) => calls));
  const given = new Set(results.map(({ callId }) => callId));
  const missing = [...known].find((id) => readCallName(id) && !given.has(id));
  if (missing !== undefined) throw invalidRequest(`call ${shown(missing)} has no result: send one behind it`);
  const newest = readCallName(results.at(-1)?.callId ?? '');
  for (const { callId = '' } of results)
    if (!known.has(callId) && !readCallName(callId))
      throw invalidRequest(`there is a result of call ${shown(callId)}, and no such call before it`);
  // With words of the agent behind them, they have been taken.
  if (!newest || open.at(-1)?.role !== 'result') return null;
  const own = results.filter(({ callId = '' }) => readCallName(callId)?.runId === newest.runId);
  return {
    ...newest,
    newest: newest.callId,
    texts: new Map(own.map(({ callId = '', text }) => [readCallName(callId)?.callId ?? '', text])),
    isLast: end === spoken.length,
    hasFiles: own.some(({ files }) => files.length > 0),
  };
}

export const content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string() })).check(z.maxLength(1000)),
]);

type Content = z.output<typeof content> | null | undefined;

/**
 * The parts of a conversation that a run gets.
 *
 * @param isKnown whether the session holds the earlier messages: then it gets only those after the last answer, which has calls
 * with it if there are results of them.
 * @throws DetentError `INVALID_REQUEST` when there is nothing to answer.
 */
function partsOf(turns: readonly Turn[], isKnown: boolean) {
  const instructions = turns.filter(({ role }) => role === 'instructions');
  const spoken = turns.filter(({ role }) => role !== 'instructions');
  const from = spoken.findLastIndex(({ role }) => role !== 'user') + 1;
  const now = spoken.slice(from);
  const hasResults = spoken[from - 1]?.role === 'result';
  if (now.length === 0 && !hasResults)
    throw invalidRequest('the last message must be one of the user: an answer cannot be begun for the agent');
  const called = spoken.findLastIndex(({ role }, i) => role === 'user' && i < from) + 1;
  const history = spoken.slice(isKnown ? (hasResults ? called : from) : 0, from);
  return { instructions, history, now };
}

/**
 * The prompt of a run for a conversation. Instructions and history of a client are words of the user: the host's own
 * instructions stay above them. Their lines are indented, so that none of them can look like one of the headings.
 *
 * @throws DetentError `PROMPT_TOO_LARGE`.
 */
function promptOf(instructions: readonly Turn[], history: readonly Turn[], now: readonly Turn[]): Said {
  const chars = [...instructions, ...history, ...now].reduce((sum, { text }) => sum + text.length, 0);
  if (chars > maxPrompt)
    throw new DetentError(
      'PROMPT_TOO_LARGE',
      `the conversation has ${chars} characters, and ${maxPrompt} is the maximum: send less of it`,
    );
  const words = now.map(({ text }) => text).join('\n\n');
  const blocks = [
    ...(instructions.length > 0 ? ['Instructions of the application:', ...instructions.map(indented)] : []),
    ...(history.length > 0 ? ['The conversation so far:', ...history.map(headed)] : []),
  ];
  const files = [...history, ...now].flatMap((turn) => turn.files);
  const last = now.length > 0 ? ['The user says now:', words] : [goOn];
  return {
    prompt: blocks.length === 0 ? words : [...blocks, ...last].join('\n\n'),
    ...(files.length > 0 && { attachments: files }),
  };
}

const goOn = 'Go on from the results of the last calls.';

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
    if (type === 'text' || type === 'input_text' || type === 'output_text')
      texts.push(partText(part, 'text'));
    else if (type === 'refusal') texts.push(partText(part, 'refusal'));
    else if (type === 'image_url') files.push(fileOf(urlOf(part.image_url), undefined));
    else if (type === 'input_image') files.push(fileOf(part.image_url, undefined));
    else if (type === 'input_file') files.push(fileOf(part.file_data, part.filename));
    else if (type === 'file') {
      const { file_data: data, filename } = (part.file ?? {}) as Record<string, unknown>;
      files.push(fileOf(data, filename));
    } else throw invalidRequest(`a message cannot have a part of type ${JSON.stringify(type).slice(0, 100)}`);
  }
  return { text: texts.join('\n'), files };
}

function partText(part: Record<string, unknown>, field: string): string {
  const text = part[field];
  if (typeof text === 'string') return text;
  throw invalidRequest(`a part of type "${part.type}" has its words in "${field}"`);
}

function urlOf(image: unknown): unknown {
  return typeof image === 'object' && image !== null && 'url' in image ? image.url : image;
}

/** The gateway fetches nothing for clients, so a file comes with its bytes. */
function fileOf(url: unknown, name: unknown): SentFile {
  const [, data] = /^(?:data:[^,]*;base64,)?([A-Za-z0-9+/]*={0,2})$/.exec(String(url ?? '')) ?? [];
  if (!data)
    throw invalidRequest(
      'a file is sent with its bytes, as "data:TYPE;base64,…"; links and file ids are not fetched',
    );
  return { data, ...(typeof name === 'string' && name !== '' && { name: name.slice(0, 200) }) };
}

export function invalidRequest(message: string, field?: string): DetentError {
  return new DetentError('INVALID_REQUEST', message, field === undefined ? {} : { details: { field } });
}
