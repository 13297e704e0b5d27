import type { JsonObject } from '../../protocol/json.ts';
import type { OutputSpec } from '../../protocol/ports.ts';
import { closedSchema } from '../wire/closed-schema.ts';

/**
 * An output schema as `output_config.format`; null where Anthropic cannot take it. The SDK's own function moves keywords
 * that the server does not know, as `maximum`, into descriptions: Detent validates the answer by the whole schema.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
export async function outputFormat({ schema }: OutputSpec): Promise<JsonObject | null> {
  const closed = closedSchema(schema);
  if (!closed) return null;
  const { transformJSONSchema } = await import('@anthropic-ai/sdk/lib/transform-json-schema');
  try {
    return { type: 'json_schema', schema: transformJSONSchema(closed) as JsonObject };
  } catch {
    // A schema without a type, for instance.
    return null;
  }
}
