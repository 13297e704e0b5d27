import { placeOf, TextFault } from './text-file.ts';

/**
 * Parses JSON. Unlike `JSON.parse`, it reports the place of every syntax error, and it rejects duplicate keys.
 *
 * @throws TextFault
 */
export function readJson(text: string): unknown {
  const fault = findFault(text);
  if (fault) throw new TextFault(fault.what, placeOf(text, fault.at));
  return JSON.parse(text);
}

interface Fault {
  at: number;
  what: string;
}

const blank = /[ \t\n\r]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside of strings
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

/** The first syntax error; null when there is none. */
function findFault(text: string): Fault | null {
  let at = 0;
  /** Open containers, innermost last: for an object its keys so far, for an array null. */
  const open: (Set<string> | null)[] = [];

  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  const takeChar = (character: string): boolean => {
    take(blank);
    if (text[at] !== character) return false;
    at++;
    return true;
  };
  const expected = (what: string): Fault => ({
    at,
    what: at >= text.length ? `the text ends where ${what} is expected` : `expected ${what}`,
  });
  const key = (keys: Set<string>): Fault | null => {
    take(blank);
    const start = at;
    const found = take(string);
    if (found === null) return expected('a key in double quotes');
    const name = JSON.parse(found) as string;
    if (keys.has(name)) return { at: start, what: `the key ${JSON.stringify(name)} occurs twice` };
    keys.add(name);
    return takeChar(':') ? null : expected('":"');
  };
  /** Reads a scalar or the start of a container; null when a value is complete. */
  const begin = (): Fault | 'opened' | null => {
    if (takeChar('{')) {
      if (takeChar('}')) return null;
      const keys = new Set<string>();
      open.push(keys);
      return key(keys) ?? 'opened';
    }
    if (takeChar('[')) {
      if (takeChar(']')) return null;
      open.push(null);
      return 'opened';
    }
    return take(string) === null && take(scalar) === null ? expected('a value') : null;
  };

  for (;;) {
    const begun = begin();
    if (begun === 'opened') continue;
    if (begun) return begun;
    // A value is complete: its container continues, or is complete as well.
    for (;;) {
      const holder = open.at(-1);
      if (holder === undefined) {
        take(blank);
        return at === text.length ? null : { at, what: 'there is more text after the value' };
      }
      if (takeChar(',')) {
        const fault = holder && key(holder);
        if (fault) return fault;
        break;
      }
      if (!takeChar(holder ? '}' : ']')) return expected(holder ? '"," or "}"' : '"," or "]"');
      open.pop();
    }
  }
}
