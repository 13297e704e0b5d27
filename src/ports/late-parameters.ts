import type { ZodType } from 'zod';
import type { JsonObject } from '../protocol/json.ts';
import { printedParameters } from './printed-parameters.ts';
import type { ToolSchema } from './tool.ts';

type MakeSchema<Args> = (z: typeof import('./schema-kinds.ts')) => ZodType<Args>;

/** A zod schema that is made when the first value is validated. */
export interface LateSchema<Args> extends ToolSchema<Args> {
  made(): Promise<ZodType<Args>>;
}

/** The part of a tool's definition that says what its arguments are. */
export interface LateParameters<Args> {
  parameters: LateSchema<Args>;
  jsonSchema: JsonObject;
}

/** The arguments of a tool with these parameters. */
export type ArgumentsOf<Late> = Late extends LateParameters<infer Args> ? Args : never;

/**
 * The parameters of a tool that comes with Detent. What the model is shown was printed ahead of time
 * (`npm run parameters:write`); zod, which takes 20 ms, is loaded when a call's arguments are checked.
 *
 * @param name of the tool
 *
 * @example
 * ```ts
 * defineTool({
 *   name: 'calculator',
 *   ...lateParameters('calculator', (z) => z.strictObject({ expression: z.string() })),
 *   run: ({ expression }) => evaluate(expression),
 * });
 * ```
 */
export function lateParameters<Args>(name: string, make: MakeSchema<Args>): LateParameters<Args> {
  let making: Promise<ZodType<Args>> | null = null;
  const made = (): Promise<ZodType<Args>> => {
    making ??= import('./schema-kinds.ts').then(make);
    return making;
  };
  return {
    parameters: {
      '~standard': {
        version: 1,
        vendor: 'detent',
        validate: async (value) => (await made())['~standard'].validate(value),
      },
      made,
    },
    // A registry refuses a tool with an empty one.
    jsonSchema: printedParameters[name] ?? {},
  };
}
