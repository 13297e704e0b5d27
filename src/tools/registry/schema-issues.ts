import { type OutputUnit, Validator } from '@cfworker/json-schema';
import type { JsonObject } from '../../protocol/json.ts';
import type { ValueIssue } from './issues.ts';

/** Of one value: people and models read ten. */
const maxIssues = 1_000;

/** Keeps the validators that were used last, by the text of their schemas. */
export interface KnownValidators {
  get(key: string): Validator | undefined;
  set(key: string, validator: Validator): unknown;
}

/** As `SchemaCheck`, here and now: however long it takes. */
export function schemaIssues(schema: JsonObject, value: unknown, validators: KnownValidators): ValueIssue[] {
  const key = JSON.stringify(schema);
  // The validator writes absolute URIs into its schema: it gets a copy.
  const validator = validators.get(key) ?? new Validator(JSON.parse(key), '2020-12', false);
  validators.set(key, validator);
  const { errors } = validator.validate(value);
  return innermost(errors).slice(0, maxIssues).map(toIssue);
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
