import { placeOf, TextFault } from './text-file.ts';

/**
 * Parses JSON. Unlike `JSON.parse`, which tells a place only sometimes, it always says where a text is wrong, and it
 * refuses an object that has a key twice.
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

/** The first thing that is not JSON; null when all is. */
function findFault(text: string): Fault | null {
  let at = 0;
  /** What is open, innermost last; an object with the keys that it has so far, an array with null. */
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
    if (keys.has(name)) return { at: start, what: `the key ${JSON.stringify(name)} is there twice` };
    keys.add(name);
    return takeChar(':') ? null : expected('":"');
  };
  /** A scalar, or the opening of something; `null` when what follows is the end of a value. */
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
    // A value is complete: what holds it goes on, or is complete with it.
    for (;;) {
      const holder = open.at(-1);
      if (holder === undefined) {
        take(blank);
        return at === text.length ? null : { at, what: 'there is more text behind the value' };
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
