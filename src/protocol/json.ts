import { didYouMean, own, quoted } from '../text/wording.ts';
import { DetentError } from './error.ts';

type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object whose values are all texts. */
export function isTextRecord(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
}

/** A text from outside; the empty one in place of anything else. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Maximum levels of objects and lists in JSON from outside. Writing much deeper values overflows the stack. */
export const maxNesting = 200;

/** Whether JSON text has more than {@link maxNesting} levels. Does not recurse; text that is not JSON may answer anything. */
export function isNestedTooDeep(text: string): boolean {
  // Each level takes a character.
  if (text.length <= maxNesting) return false;
  let depth = 0;
  let isText = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === quote) isText = !isText;
    else if (isText) i += char === backslash ? 1 : 0;
    else if (char === openBrace || char === openBracket) {
      if (++depth > maxNesting) return true;
    } else if (char === closeBrace || char === closeBracket) depth--;
  }
  return false;
}

const [quote, backslash] = [34, 92];
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93];

/** `JSON.parse` that answers `undefined` for text that is not JSON, and for JSON that is nested too deep. */
export function parseJson(text: string): unknown {
  try {
    return isNestedTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The arguments of a call as the model wrote them; a call without any has an empty object. */
export function parseArguments(raw: string): unknown {
  return parseJson(raw.trim() === '' ? '{}' : raw);
}

export type Variables = Readonly<Record<string, string | undefined>>;

interface Substituted {
  value: unknown;
  /** One line for every place that could not be filled in, with its path from the top. */
  problems: string[];
}

/**
 * `$${` comes first, because it is the literal `${`. An incomplete variable matches too, to be reported as an error.
 */
const marks = /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})?/g;

/**
 * Fills variables into every text of a configuration: `${NAME}`, `${NAME:-fallback}`. A variable that is empty counts
 * as one that is not set. `$${` stands for `${` itself. Names of fields stay as they are.
 */
export function substitute(value: unknown, env: Variables, path: readonly string[] = []): Substituted {
  if (typeof value === 'string') return substituteText(value, env, path.join('.'));
  if (Array.isArray(value)) {
    const items = value.map((item, i) => substitute(item, env, [...path, String(i)]));
    return { value: items.map((item) => item.value), problems: items.flatMap((item) => item.problems) };
  }
  if (!isObject(value)) return { value, problems: [] };
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, substitute(inner, env, [...path, key])] as const,
  );
  return {
    value: Object.fromEntries(entries.map(([key, inner]) => [key, inner.value])),
    problems: entries.flatMap(([, inner]) => inner.problems),
  };
}

function substituteText(text: string, env: Variables, path: string): Substituted {
  const problems: string[] = [];
  const value = text.replace(marks, (mark, name: string | undefined, fallback: string | undefined) => {
    if (mark === '$${') return '${';
    if (name === undefined) {
      problems.push(
        `${path}: "\${" begins the name of a variable, as in \${NAME}; write $\${ for the characters`,
      );
      return mark;
    }
    const found = own(env, name) || fallback;
    if (found === undefined)
      problems.push(`${path}: the variable ${name} is not set; set it, or write \${${name}:-fallback}`);
    return found ?? mark;
  });
  return { value, problems };
}

const maxShownChars = 60;

/**
 * Checks a word from outside that decides something. Any value but exactly one of the known words is an error: no unknown
 * word stands for a default.
 *
 * @param what the name of the field, for the message.
 * @throws DetentError with `code`.
 */
export function oneOf<const Known extends string>(
  value: unknown,
  known: readonly Known[],
  what: string,
  code: string,
): Known {
  const found = known.find((word) => word === value);
  if (found !== undefined) return found;
  const hint = typeof value === 'string' ? didYouMean(value, known) : '';
  throw new DetentError(
    code,
    `${what} is ${known.map((word) => `"${word}"`).join(', ')}, not ${shown(value)}${hint}`,
    { details: { field: what, known: [...known] } },
  );
}

/**
 * Refuses a field that is not among the known ones: a misspelt or outdated name may stand for a restriction.
 *
 * @param what what has the fields, for the message.
 * @throws DetentError with `code`.
 */
export function refuseUnknownFields(
  given: object,
  known: readonly string[],
  what: string,
  code: string,
): void {
  const unknown = Object.keys(given).find((field) => !known.includes(field));
  if (unknown !== undefined)
    throw new DetentError(code, `${what} has no field ${shown(unknown)}${didYouMean(unknown, known)}`);
}

/** A value in an error message: a short text in quotes, else its type. Never throws. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value, maxShownChars);
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'number')
    return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
