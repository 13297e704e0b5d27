import type { OutputSchema } from '../../ports/output-schema.ts';
import { DetentError } from '../../protocol/error.ts';
import { listed, validateStandard } from '../registry/issues.ts';
import { standardSchema } from './output-schema.ts';

/**
 * What a schema object makes of a stored output: zod schemas may fill in defaults and transform. A plain JSON Schema leaves
 * it as it is.
 *
 * @throws DetentError `INVALID_OUTPUT` when the schema does not accept it any more.
 */
export async function typedOutput(schema: OutputSchema, value: unknown, runId: string): Promise<unknown> {
  const standard = standardSchema(schema);
  if (!standard) return value;
  const validated = await validateStandard(standard, structuredClone(value));
  if (!('issues' in validated)) return validated.value;
  throw new DetentError(
    'INVALID_OUTPUT',
    `the stored output of run ${runId} does not fit the schema of this call:\n${listed(validated.issues)}\nsee it with: detent runs show ${runId} --json`,
    { details: { runId } },
  );
}
