import { DetentError } from '../protocol/error.ts';
import { isObject, parseJson } from '../protocol/json.ts';

/** What one field of the arguments must be: exactly this value, a text of this form, or anything, including absent. */
export type GrantTest = { is: unknown } | { like: string } | { any: true };

/**
 * Which calls of a tool a grant matches, by fields of their arguments. Fields that the pattern does not name must be
 * absent, so that a call with an unforeseen option still asks a person.
 */
export type GrantPattern = Readonly<Record<string, GrantTest>>;

/** Exactly these arguments; with `held`, calls that agree in those fields, with any value in the `free` ones. */
export function defaultPattern(
  args: Readonly<Record<string, unknown>>,
  held: readonly string[] | undefined,
  free: readonly string[],
): GrantPattern {
  const exact = (names: readonly string[]) =>
    names.filter((name) => Object.hasOwn(args, name)).map((name) => [name, { is: args[name] }] as const);
  if (!held) return Object.fromEntries(exact(Object.keys(args)));
  const others = free.filter((name) => !held.includes(name)).map((name) => [name, { any: true }] as const);
  return Object.fromEntries([...exact(held), ...others]);
}

/**
 * Parses a pattern as people write it: `{"path":{"like":"notes/*.md"},"content":{"any":true}}`. Any value other than
 * `{is}`, `{like}` and `{any}` matches itself.
 *
 * @throws DetentError `INVALID_PATTERN`.
 */
export function readPattern(given: unknown): GrantPattern {
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (!isObject(value))
    throw invalidPattern(
      'it must be a JSON object of argument fields, as {"path":"notes.md","content":{"any":true}}',
    );
  return Object.fromEntries(Object.entries(value).map(([field, test]) => [field, readTest(field, test)]));
}

function readTest(field: string, test: unknown): GrantTest {
  const [entry, ...more] = isObject(test) ? Object.entries(test) : [];
  if (!entry || more.length > 0) return { is: test };
  const [word, value] = entry;
  if (word === 'is') return { is: value };
  if (word === 'any') {
    if (value === true) return { any: true };
    throw invalidPattern(`"any" of ${JSON.stringify(field)} can only be true`);
  }
  if (word !== 'like') return { is: test };
  if (typeof value === 'string') return { like: value };
  throw invalidPattern(`"like" of ${JSON.stringify(field)} must be a text`);
}

/** @param raw the arguments as the model wrote them, which a person approves and the tool executes. */
export function matchesGrant(pattern: GrantPattern, raw: string): boolean {
  const args = parseJson(raw.trim() === '' ? '{}' : raw);
  if (!isObject(args)) return false;
  const fields = new Set([...Object.keys(pattern), ...Object.keys(args)]);
  return [...fields].every((field) => {
    const test = Object.hasOwn(pattern, field) ? pattern[field] : undefined;
    if (!test) return false;
    if ('any' in test) return true;
    if (!Object.hasOwn(args, field)) return false;
    const value: unknown = args[field];
    return 'is' in test
      ? canonical(value) === canonical(test.is)
      : typeof value === 'string' && isLike(value, test.like);
  });
}

/** Canonical text of a JSON value: the same for every order of keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

const maxLikeChars = 2_000;
/** What `*` matches: no character that is special in a shell, and no slash. */
const harmless = /^[\p{L}\p{M}\p{N} _.,:=+@%-]$/u;

/**
 * Whether a text matches a form: `*` matches letters, digits, blanks and `_ . , : = + @ % -`, and `**` slashes, too. No
 * text with `..` in it matches any form. Takes time proportional to text times form.
 */
export function isLike(text: string, form: string): boolean {
  if (text.length > maxLikeChars || form.length > maxLikeChars || text.includes('..')) return false;
  const tokens = form.match(/\*\*+|[\s\S]/gu) ?? [];
  let places = skipStars(tokens, new Set([0]));
  for (const character of text) {
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token === undefined) continue;
      if (!token.startsWith('*')) {
        if (token === character) next.add(place + 1);
      } else if (harmless.test(character) || (token !== '*' && character === '/')) next.add(place);
    }
    places = skipStars(tokens, next);
    if (places.size === 0) return false;
  }
  return places.has(tokens.length);
}

function skipStars(tokens: readonly string[], places: Set<number>): Set<number> {
  for (const place of places) if (tokens[place]?.startsWith('*')) places.add(place + 1);
  return places;
}

function invalidPattern(why: string): DetentError {
  return new DetentError('INVALID_PATTERN', `the pattern of a grant cannot be used: ${why}`);
}

/** A grant against which policy checks calls. */
export interface Grant {
  n: number;
  tool: string;
  pattern: GrantPattern;
}
