import type { ModelError } from '../../../protocol/answer.ts';
import type { Reliance } from './responses-request.ts';

/** OpenAI, and LM Studio's words for the same. */
const threadLost = /previous[_ ]response|prediction history node|no tool (call|output) found/i;
const includeRefused = /\binclude\b|encrypted content is not supported/i;
/** Foreign or expired reasoning, items that are referred to and gone, or that lost their other half. */
const itemsRefused = /encrypted|reasoning|item with id|item '|input\[\d+\]|no tool (call|output) found/i;
const schemaRefused = /invalid schema for function|\bstrict\b/i;

/** What to rely on instead, after a request was refused for what it relied on; null when that was not the reason. */
export function lessReliance(reliance: Reliance, error: ModelError): Reliance | null {
  const { kind, code, providerCode, message } = error;
  if (kind !== 'bad_request' && kind !== 'not_found' && kind !== 'server') return null;
  // Without what it relies on, a prompt is no shorter.
  if (code === 'MODEL_CONTEXT_OVERFLOW') return null;
  const said = `${providerCode ?? ''} ${message}`;
  if (reliance.thread && threadLost.test(said)) return { ...reliance, thread: false };
  if (kind === 'server') return null;
  if (reliance.strict && schemaRefused.test(said)) return { ...reliance, strict: false };
  if (reliance.include && includeRefused.test(said)) return { ...reliance, include: false };
  if (reliance.items && itemsRefused.test(said)) return { ...reliance, items: false };
  return null;
}
