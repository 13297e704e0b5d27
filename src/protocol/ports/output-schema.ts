import type { JsonObject, JsonValue } from '../json.ts';
import type { ToolSchema } from '../tool.ts';

/**
 * The schema of a run's output: a zod schema, or any Standard Schema that can print itself as JSON Schema; or a plain
 * JSON Schema (draft 2020-12).
 */
export type OutputSchema<Output = unknown> = ToolSchema<Output> | Readonly<Record<string, unknown>>;

/** An answer that was compared with the output schema of its run. */
export type CheckedOutput =
  /** `value`: the JSON that the model wrote. Schemas that transform have not transformed it. */
  | { fits: true; value: JsonValue }
  /** `problems`: what is wrong, for the model and for people; a line each. */
  | { fits: false; problems: string };

/** Compares answers with output schemas. */
export interface OutputChecker {
  /**
   * @param run `owner`: the tenant and the user whose run it is; what their schemas take has a budget.
   * @param schema the JSON Schema in the options of the run. The schema that it was printed from counts, if this process
   * has it.
   */
  check(
    run: { id: string; owner: string; agent?: string },
    schema: JsonObject,
    text: string,
  ): Promise<CheckedOutput>;
}

/** The output schemas that only this process has: those of its requests and of its configuration. */
export interface OutputSchemas extends OutputChecker {
  /** Keeps the schema object of a run until the run has ended. Returns the function that forgets it earlier. */
  keep(runId: string, schema: OutputSchema): () => void;
}
