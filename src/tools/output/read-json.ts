import { describeThrown } from '../../protocol/error.ts';
import { type JsonValue, parseJson } from '../../protocol/json.ts';

/** The JSON in an answer, or why there is none. */
type ReadJson = { value: JsonValue } | { problem: string };

/** Levels of an output: the validators and `JSON.stringify` are recursive. */
const maxLevels = 100;

/** Thoughts that a local server leaves in the text. */
const thoughts = /^\s*<think>[\s\S]*?<\/think>/;
const fence = '```';

/**
 * Reads the JSON of an answer. The whole text counts first. If that is not JSON, the one fenced block that is; and at
 * last the text from the first brace or bracket to the last.
 */
export function readJson(text: string): ReadJson {
  const said = text
    .replace(thoughts, '')
    .replace(/^\uFEFF/, '')
    .trim();
  if (said === '') return { problem: 'the answer has no text' };
  // Not `??`: null is a value, too.
  const readers = [parseJson, fencedJson, insideJson];
  let value: unknown;
  for (const read of readers) if (value === undefined) value = read(said);
  const fault = value === undefined ? faultOf(said) : null;
  if (fault !== null) return { problem: `the answer is not JSON (${fault})` };
  // `parseJson` refuses what is far too deep, although it is JSON.
  if (value === undefined || isDeeper(value, maxLevels))
    return { problem: `the JSON has more than ${maxLevels} levels` };
  return { value: value as JsonValue };
}

/** Undefined for several blocks that are JSON: nothing says which of them is the answer. */
function fencedJson(text: string): unknown {
  const found = fencedBlocks(text)
    .map(parseJson)
    .filter((value) => value !== undefined);
  return found.length === 1 ? found[0] : undefined;
}

/** Line by line: a regular expression goes back for every space of an answer that is made of spaces. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: string[] | null = null;
  for (const line of text.split('\n')) {
    const bare = line.trimEnd();
    if (open === null) open = opensBlock(bare.trimStart()) ? [] : null;
    else if (bare.endsWith(fence)) {
      blocks.push([...open, bare.slice(0, -fence.length)].join('\n'));
      open = null;
    } else open.push(line);
  }
  return blocks;
}

function opensBlock(line: string): boolean {
  return line.startsWith(fence) && ['', 'json', 'JSON'].includes(line.slice(fence.length).trim());
}

function insideJson(text: string): unknown {
  const start = text.search(/[{[]/);
  if (start === -1) return undefined;
  const end = text.lastIndexOf(text[start] === '{' ? '}' : ']');
  return end > start ? parseJson(text.slice(start, end + 1)) : undefined;
}

/** Null if the text is JSON. */
function faultOf(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return describeThrown(error);
  }
}

/** Not recursive: the value may have any depth. */
export function isDeeper(value: unknown, levels: number): boolean {
  let inner = [value];
  for (let level = 0; level <= levels; level++) {
    inner = inner.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (inner.length === 0) return false;
  }
  return true;
}
