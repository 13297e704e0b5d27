import { describeThrown } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** Keywords that restrict a value; a schema with none of them says nothing. */
const restricting = [
  'type',
  'properties',
  'required',
  'items',
  'prefixItems',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  '$ref',
];
const one = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const numbers = /^(minimum|maximum|exclusiveM\w+|multipleOf|m(in|ax)(Length|Items|Properties))$/;

/** Characters of the patterns of one request: to read 8,000 of the worst takes 60 ms. */
const maxPatternChars = 8_000;

/** How many characters the patterns of a request have so far. */
export interface PatternChars {
  count: number;
}

/**
 * What is wrong with a JSON Schema, with its place; null when it can be used. Finds what people get wrong, not all.
 *
 * @param patterns those of other schemas of the same request count, too.
 */
export function schemaProblem(schema: unknown, patterns: PatternChars = { count: 0 }): string | null {
  if (!isObject(schema)) return 'a JSON Schema is an object';
  if (!restricting.some((keyword) => Object.hasOwn(schema, keyword)))
    return 'it restricts nothing: a JSON Schema has "type", "properties", "enum", "anyOf" or the like';
  return problemIn(schema, '#', { root: schema, resolved: new Set(), patterns });
}

/** What references are resolved in, and patterns counted. */
interface Refs {
  root: Record<string, unknown>;
  /** Places that are no references, or lead to one that is none. */
  resolved: Set<unknown>;
  patterns: PatternChars;
}

function problemIn(schema: unknown, place: string, refs: Refs): string | null {
  if (typeof schema === 'boolean') return null;
  if (!isObject(schema)) return `${place} is not a schema`;
  for (const [keyword, value] of Object.entries(schema)) {
    const problem = keywordProblem(keyword, value, `${place}/${keyword}`, refs);
    if (problem !== null) return problem;
  }
  return null;
}

function keywordProblem(keyword: string, value: unknown, place: string, refs: Refs): string | null {
  const first = (found: (string | null)[]) => found.find((problem) => problem !== null) ?? null;
  const isList = Array.isArray(value);
  if (keyword === 'type') {
    const known = [value].flat().every((type) => types.includes(type as string));
    return known && (!isList || value.length > 0) ? null : `${place} is none of ${types.join(', ')}`;
  }
  if (keyword === 'enum') return isList && value.length > 0 ? null : `${place} is not a list of values`;
  if (keyword === 'required')
    return isList && value.every((name) => typeof name === 'string')
      ? null
      : `${place} is not a list of names`;
  if (keyword === 'pattern') return patternProblem(value, place, refs.patterns);
  if (keyword === '$ref') return refProblem(value, place, refs);
  if (numbers.test(keyword)) return typeof value === 'number' ? null : `${place} is not a number`;
  if (one.includes(keyword)) return problemIn(value, place, refs);
  if (lists.includes(keyword)) {
    if (!isList || value.length === 0) return `${place} is not a list of schemas`;
    return first(value.map((item, i) => problemIn(item, `${place}/${i}`, refs)));
  }
  if (!maps.includes(keyword)) return null;
  if (!isObject(value)) return `${place} is not an object of schemas`;
  return first(
    Object.entries(value).map(
      ([name, item]) =>
        (keyword === 'patternProperties' ? patternProblem(name, `${place}/${name}`, refs.patterns) : null) ??
        problemIn(item, `${place}/${name}`, refs),
    ),
  );
}

function patternProblem(value: unknown, place: string, patterns: PatternChars): string | null {
  if (typeof value !== 'string') return `${place} is not a regular expression`;
  patterns.count += value.length;
  if (patterns.count > maxPatternChars)
    return `${place}: the patterns have more than ${maxPatternChars} characters together; use fewer or shorter ones`;
  try {
    new RegExp(value, 'u');
    return null;
  } catch (error) {
    return `${place} is not a regular expression (${describeThrown(error)})`;
  }
}

/** A reference leads to a place in the same schema: nothing is loaded. References that lead to each other never end. */
function refProblem(ref: unknown, place: string, { root, resolved }: Refs): string | null {
  const seen = new Set<unknown>();
  for (let next = ref; next !== undefined; ) {
    const target = referencedSchema(next, root);
    if (target === undefined) return `${place}: there is no ${JSON.stringify(next)} in the schema`;
    if (seen.has(target)) return `${place} leads back to itself`;
    seen.add(target);
    next = isObject(target) && !resolved.has(target) ? target.$ref : undefined;
  }
  for (const target of seen) resolved.add(target);
  return null;
}

function referencedSchema(ref: unknown, root: Record<string, unknown>): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decodedPart(part);
    if (key === undefined || typeof at !== 'object' || at === null || !Object.hasOwn(at, key))
      return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** Undefined if the part of an address is not well-formed. */
function decodedPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
