import { nearestName } from '../text/nearest-name.ts';
import { quoted } from '../text/shortened.ts';
import { DetentError } from './error.ts';

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
  const hint = typeof value === 'string' ? hintOf(value, known) : '';
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
    throw new DetentError(code, `${what} has no field ${shown(unknown)}${hintOf(unknown, known)}`);
}

function hintOf(word: string, known: readonly string[]): string {
  const nearest = nearestName(word, known);
  return nearest ? `; did you mean "${nearest}"?` : '';
}

/** A value in an error message: a short text in quotes, else its type. Never throws. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value, maxShownChars);
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'number')
    return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
