import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { placeOf } from './text-file.ts';

/**
 * The line, from 1, of a field in the text of a configuration; null where it is not written out, such as when a program
 * computes it. If the last part of the path is missing, the line of the part above it.
 *
 * @param path `limits.maxSteps`, `fallbacks.0`
 */
export function lineOfField(file: string, text: string, path: string): number | null {
  const keys = path.split('.');
  return /\.ya?ml$/.test(file) ? lineInYaml(text, keys) : lineInCode(text, keys);
}

/**
 * The text of a field that a module writes out as a literal; null where only running the module tells.
 *
 * @param path `database.file`
 */
export function literalOfField(text: string, path: string): string | null {
  const keys = path.split('.');
  const found = findInCode(text, keys);
  if (found?.depth !== keys.length) return null;
  const literal = /^["'\w$]+\s*:\s*(["'])((?:(?!\1)[^\\\n])*)\1\s*[,}]/.exec(text.slice(found.at));
  return literal?.[2] ?? null;
}

function lineInYaml(text: string, keys: readonly string[]): number | null {
  const lines = new LineCounter();
  let node: unknown = parseDocument(text, { lineCounter: lines }).contents;
  let found: number | null = null;
  for (const key of keys) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
      if (!pair || !isScalar(pair.key) || !pair.key.range) return found;
      found = lines.linePos(pair.key.range[0]).line;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      if (!isScalar(node) || !node.range) continue;
      found = lines.linePos(node.range[0]).line;
    } else {
      return found;
    }
  }
  return found;
}

const tokens =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|`(?:\\[\s\S]|[^`\\])*`|[A-Za-z_$][\w$]*|[\s\S]/g;

/** An object or array literal that is open at a place of the code; a parenthesis has the path of what it stands in. */
interface Frame {
  kind: '{' | '[' | '(';
  path: readonly string[];
  /** The next word or string in the frame is a key. */
  expectsKey: boolean;
  key: string | null;
  index: number;
}

function lineInCode(text: string, keys: readonly string[]): number | null {
  const found = findInCode(text, keys);
  return found && placeOf(text, found.at).line;
}

/**
 * Finds a key by the nesting of brackets, from the default export on. That is enough for what people write by hand; a
 * parser of TypeScript would be too much for that.
 */
function findInCode(text: string, keys: readonly string[]): { depth: number; at: number } | null {
  const exported = /\bexport\s+default\s+(?:[\w$.]+\s*\(\s*)?(?=\{)/.exec(text);
  const start = exported ? exported.index + exported[0].length : text.indexOf('{');
  if (start < 0) return null;
  const frames: Frame[] = [];
  let best: { depth: number; at: number } | null = null;
  for (const { 0: token, index } of text.slice(start).matchAll(tokens)) {
    if (/^\s|^\/[/*]/.test(token)) continue;
    const frame = frames.at(-1);
    if (token === '{' || token === '[' || token === '(') {
      frames.push({ kind: token, path: pathIn(frame), expectsKey: token === '{', key: null, index: 0 });
    } else if (token === '}' || token === ']' || token === ')') {
      frames.pop();
      if (frames.length === 0) break;
    } else if (token === ',' && frame && frame.kind !== '(') {
      frame.index++;
      frame.key = null;
      frame.expectsKey = frame.kind === '{';
    } else if (frame?.expectsKey && /^["'\w$]/.test(token)) {
      frame.key = token.replace(/^["']|["']$/g, '');
      frame.expectsKey = false;
      const path = pathIn(frame);
      const isOnTheWay = path.length <= keys.length && path.every((key, i) => key === keys[i]);
      if (isOnTheWay && path.length > (best?.depth ?? 0)) best = { depth: path.length, at: start + index };
    }
  }
  return best;
}

function pathIn(frame: Frame | undefined): readonly string[] {
  if (!frame || frame.kind === '(') return frame?.path ?? [];
  if (frame.kind === '[') return [...frame.path, String(frame.index)];
  return frame.key === null ? frame.path : [...frame.path, frame.key];
}
