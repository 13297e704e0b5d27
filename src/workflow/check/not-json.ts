import { keptOf } from '../facade/service-failure.ts';
import { isSample } from './sample.ts';

/** A place in a value that JSON does not keep. */
interface NotJson {
  path: string;
  /** Such as `a Date`. */
  what: string;
}

interface Leave {
  /** Values that are derived from a sample: NaN says nothing about the chart. */
  isGuess?: boolean;
  /** Whether references to actors are ignored: another check finds them. */
  actors?: boolean;
}

const maxDepth = 200;
const maxFound = 20;

/**
 * Finds the places in a value that JSON would lose. Undefined fields are fine: the run continues with the stored value
 * anyway.
 */
export function notJson(value: unknown, path: string, leave: Leave = {}): NotJson[] {
  const found = new Map<string, NotJson>();
  // Of a list with many such items, the first one is enough.
  const add = (where: string, what: string) => {
    const place = where.replace(/\[\d+\]/g, '[]');
    if (!found.has(place) && found.size < maxFound) found.set(place, { path: where, what });
  };
  const walk = (at: unknown, where: string, within: readonly object[]): void => {
    const what = problemOf(at, leave);
    if (what !== '') {
      if (what) add(where, what);
      return;
    }
    const object = at as object;
    if (within.includes(object)) add(where, 'an object that contains itself');
    else if (within.length >= maxDepth) add(where, 'nested too deep');
    else if (Array.isArray(object))
      for (const [i, item] of object.entries()) walk(item, `${where}[${i}]`, [...within, object]);
    else for (const [key, item] of Object.entries(object)) walk(item, `${where}.${key}`, [...within, object]);
  };
  walk(value, path, []);
  return [...found.values()];
}

/** What is wrong with a value; null for nothing, an empty text for a list or an object to look into. */
function problemOf(value: unknown, { isGuess, actors }: Leave): string | null {
  if (isSample(value) || value === null) return null;
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return null;
    case 'number':
      return Number.isFinite(value) || isGuess ? null : String(value);
    case 'object':
      break;
    default:
      return `a ${typeof value}`;
  }
  if (Array.isArray(value) || keptOf(value)) return '';
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return '';
  if (actors && 'sessionId' in value && 'send' in value) return null;
  const name = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? article(name) : 'an object of a class';
}

function article(name: string): string {
  return `${/^[AEIOU]/i.test(name) ? 'an' : 'a'} ${name}`;
}

/** Text by which two values are compared. Functions, classes and samples count by their kind alone. */
export function digest(value: unknown): string {
  const within: unknown[] = [];
  const kindsOf = (at: unknown): unknown => {
    if (isSample(at)) return '(sample)';
    if (typeof at === 'bigint' || typeof at === 'number') return `${typeof at} ${at}`;
    if (typeof at === 'function' || typeof at === 'symbol') return `(${typeof at})`;
    if (typeof at !== 'object' || at === null) return at;
    const failure = keptOf(at);
    if (failure) return kindsOf(failure);
    if (at instanceof Date) return `(Date ${at.getTime()})`;
    if (within.includes(at)) return '(within)';
    const prototype: unknown = Object.getPrototypeOf(at);
    const isPlain = Array.isArray(at) || prototype === null || prototype === Object.prototype;
    if (!isPlain && !(at instanceof Map) && !(at instanceof Set)) return '(class)';
    if (within.length >= maxDepth) return '(deep)';
    within.push(at);
    const parts = isPlain && !Array.isArray(at) ? Object.entries(at) : [...(at as Iterable<unknown>)];
    const made = parts.map(kindsOf);
    within.pop();
    return made;
  };
  return JSON.stringify(kindsOf(value)) ?? '';
}
