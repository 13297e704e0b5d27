import { type OutputUnit, Validator } from '@cfworker/json-schema';

/** A problem with a value that was validated, and where it is. */
export interface ValueIssue {
  path: readonly PropertyKey[];
  message: string;
}

/** Of one value: people and models read ten. */
const maxIssues = 1_000;

/** Schemas whose checks are kept: those used last. */
const maxKnown = 20;

/** The innermost problems of a value, none if it is valid; throws what a broken schema throws. */
export type ValueCheck = (value: unknown) => ValueIssue[];

/** Compiles a JSON Schema (draft 2020-12). The check runs here and now, however long that takes. */
export function compileSchema(schema: object): ValueCheck {
  return compile(JSON.stringify(schema));
}

/** As {@link compileSchema} for schemas that come with each value: keeps the checks of those that were used last. */
export function schemaChecker(): (schema: object, value: unknown) => ValueIssue[] {
  const known = new Map<string, ValueCheck>();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    const check = known.get(key) ?? compile(key);
    known.delete(key);
    for (const oldest of known.keys()) if (known.size >= maxKnown) known.delete(oldest);
    known.set(key, check);
    return check(value);
  };
}

function compile(schema: string): ValueCheck {
  // The validator writes absolute URIs into its schema: it gets a copy.
  const validator = new Validator(JSON.parse(schema), '2020-12', false);
  return (value) => innermost(validator.validate(value).errors).slice(0, maxIssues).map(toIssue);
}

/** "Property a does not match schema" says nothing once the reason inside `a` is listed too. */
function innermost(errors: readonly OutputUnit[]): OutputUnit[] {
  const outer = new Set<string>();
  for (const { keywordLocation } of errors)
    for (let end = keywordLocation.lastIndexOf('/'); end > 0; end = keywordLocation.lastIndexOf('/', end - 1))
      outer.add(keywordLocation.slice(0, end));
  return errors.filter(({ keyword, keywordLocation }) => keyword !== 'false' && !outer.has(keywordLocation));
}

function toIssue(error: OutputUnit): ValueIssue {
  const path = error.instanceLocation.split('/').slice(1).map(unescapePointer);
  return { path, message: error.error.replaceAll('Instance', 'Value') };
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}
