import { type Context, createContext, Script } from 'node:vm';
import type { OutputUnit, Validator } from '@cfworker/json-schema';
import type { JsonObject } from '../../protocol/json.ts';
import type { ValueIssue } from './issues.ts';

/**
 * How long a value is validated, in milliseconds. Schemas of clients and of MCP servers may hold patterns, or references that
 * double at every level, that never end; 300 KB of JSON by an honest schema take 60 ms.
 */
const maxMs = 500;

/** Validates values by a plain JSON Schema (draft 2020-12), where there is no Standard Schema. */
export class JsonSchemaCheck {
  readonly #schema: JsonObject;
  #validator: Validator | null = null;
  #bounds: Bounds | null = null;

  constructor(schema: JsonObject) {
    this.#schema = schema;
  }

  /**
   * @returns the innermost problems, without the outer errors that repeat them; empty = valid.
   * @throws when the schema itself is broken (an unresolved `$ref`, a bad pattern), or takes too long.
   */
  async issuesOf(value: unknown): Promise<ValueIssue[]> {
    this.#validator ??= await compile(this.#schema);
    this.#bounds ??= new Bounds();
    const validator = this.#validator;
    const { errors } = this.#bounds.run(() => validator.validate(value));
    return errors.filter((error) => isInnermost(error, errors)).map(toIssue);
  }
}

/** Runs functions for a limited time. Only a script of `node:vm` can be ended from outside, with all that it calls. */
class Bounds {
  readonly #context: Context & { run?: () => void } = createContext({});
  readonly #script = new Script('run()');

  run<T>(work: () => T): T {
    const results: T[] = [];
    this.#context.run = () => void results.push(work());
    try {
      this.#script.runInContext(this.#context, { timeout: maxMs });
      return results[0] as T;
    } catch (error) {
      if ((error as { code?: unknown })?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new Error(
        `it takes too long, more than ${maxMs} ms: simplify the patterns and references of the schema`,
      );
    } finally {
      delete this.#context.run;
    }
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
