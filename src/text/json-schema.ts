import { type OutputUnit, Validator } from '@cfworker/json-schema';

/** A problem with a value that was validated, and where it is. */
export interface ValueIssue {
  path: readonly PropertyKey[];
  message: string;
}

/** Of one value: people and models read ten. */
const maxIssues = 1_000;

/** Schemas whose validators are kept: those used last. */
const maxKnown = 20;

/**
 * A function that validates by JSON Schema (draft 2020-12) here and now, however long that takes, and keeps what it made of the
 * schemas. It answers the innermost problems, none for a valid value, and throws what a broken schema throws.
 */
export function schemaChecker(): (schema: object, value: unknown) => ValueIssue[] {
  const known = new Map<string, Validator>();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    // The validator writes absolute URIs into its schema: it gets a copy.
    const validator = known.get(key) ?? new Validator(JSON.parse(key), '2020-12', false);
    known.delete(key);
    for (const oldest of known.keys()) if (known.size >= maxKnown) known.delete(oldest);
    known.set(key, validator);
    const { errors } = validator.validate(value);
    return innermost(errors).slice(0, maxIssues).map(toIssue);
  };
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
