import { isObject } from '../../protocol/json.ts';

/** Characters of the schema times those of the value. Up to it, the slowest schema that is plain takes some ten milliseconds. */
const maxWork = 100_000;
/** Of schemas within schemas. */
const maxDepth = 10;

/** Keywords that take no longer than the value is large. */
const simple: ReadonlySet<string> = new Set(
  'title description default examples deprecated type required minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems'.split(
    ' ',
  ),
);

/**
 * Whether a value is validated in a moment, whoever wrote the schema: both are small, and the schema has neither a pattern nor a
 * reference, nor anything that compares parts of the value with each other.
 */
export function isSoonValidated(schema: unknown, value: unknown): boolean {
  if (!isPlain(schema, maxDepth)) return false;
  const valueChars = charsOf(value);
  return valueChars !== null && valueChars * JSON.stringify(schema).length <= maxWork;
}

function isPlain(schema: unknown, depth: number): boolean {
  if (typeof schema === 'boolean') return true;
  if (depth === 0 || !isObject(schema)) return false;
  return Object.entries(schema).every(([keyword, given]) => {
    switch (keyword) {
      case 'const':
        return !isPart(given);
      case 'enum':
        return Array.isArray(given) && !given.some(isPart);
      case 'items':
      case 'additionalProperties':
        return isPlain(given, depth - 1);
      case 'properties':
        return isObject(given) && Object.values(given).every((one) => isPlain(one, depth - 1));
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return Array.isArray(given) && given.every((one) => isPlain(one, depth - 1));
      default:
        return simple.has(keyword);
    }
  });
}

/** Whether a constant has parts, which are compared one by one. */
function isPart(constant: unknown): boolean {
  return typeof constant === 'object' && constant !== null;
}

/** Null for a value that JSON does not have. */
function charsOf(value: unknown): number | null {
  try {
    return JSON.stringify(value)?.length ?? null;
  } catch {
    return null;
  }
}
