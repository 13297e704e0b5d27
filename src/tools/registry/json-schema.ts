import type { OutputUnit, Validator } from '@cfworker/json-schema';
import type { JsonObject } from '../../protocol/json.ts';
import type { ValueIssue } from './issues.ts';

/** Validates values by a plain JSON Schema (draft 2020-12), where there is no Standard Schema. */
export class JsonSchemaCheck {
  readonly #schema: JsonObject;
  #validator: Validator | null = null;

  constructor(schema: JsonObject) {
    this.#schema = schema;
  }

  /**
   * @returns the innermost problems, without the outer errors that repeat them; empty = valid.
   * @throws when the schema itself is broken (an unresolved `$ref`, a bad pattern).
   */
  async issuesOf(value: unknown): Promise<ValueIssue[]> {
    this.#validator ??= await compile(this.#schema);
    const { errors } = this.#validator.validate(value);
    return errors.filter((error) => isInnermost(error, errors)).map(toIssue);
  }
}

async function compile(schema: JsonObject): Promise<Validator> {
  const { Validator } = await import('@cfworker/json-schema');
  // The validator writes absolute URIs into its schema, which fails on a frozen one: pass a copy.
  return new Validator(structuredClone(schema), '2020-12', false);
}

// "Property a does not match schema" says nothing once the reason inside `a` is listed too.
function isInnermost(error: OutputUnit, all: readonly OutputUnit[]): boolean {
  if (error.keyword === 'false') return false;
  const inside = `${error.keywordLocation}/`;
  return !all.some((other) => other.keywordLocation.startsWith(inside));
}

function toIssue(error: OutputUnit): ValueIssue {
  const path = error.instanceLocation.split('/').slice(1).map(unescapePointer);
  return { path, message: error.error.replaceAll('Instance', 'Value') };
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}
