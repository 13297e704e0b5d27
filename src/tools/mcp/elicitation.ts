import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';
import { isObject } from '../../protocol/json.ts';
import type { PersonAnswer, ToolContext } from '../../protocol/tool.ts';
import type { FieldValue, QuestionView } from '../../protocol/views.ts';
import { cutForPeople, type FormSchema, fieldsOf } from '../output/form-fields.ts';

const maxFields = 50;

/** Asks a person. */
export type AskPerson = NonNullable<ToolContext['ask']>;

/**
 * Shows a server's form to a person.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
export async function elicit(
  server: string,
  { message, requestedSchema }: Pick<ElicitRequestFormParams, 'message' | 'requestedSchema'>,
  ask: AskPerson,
): Promise<ElicitResult> {
  const fields = fieldsOf(requestedSchema as FormSchema);
  // Too many fields for a person to fill in.
  if (fields.length > maxFields) return { action: 'decline' };
  const text = `MCP server ${JSON.stringify(server)} asks: ${cutForPeople(message)}`;
  const question: QuestionView = fields.length > 0 ? { text, fields } : { text, options: ['yes', 'no'] };
  return resultOf(await ask(question));
}

function resultOf(answer: PersonAnswer): ElicitResult {
  if (!answer.answered)
    return { action: answer.why === 'expired' || answer.why === 'withdrawn' ? 'cancel' : 'decline' };
  if (answer.answer === 'yes') return { action: 'accept', content: {} };
  const content: unknown = answer.answer;
  return isObject(content)
    ? { action: 'accept', content: content as Record<string, FieldValue> }
    : { action: 'decline' };
}
