import { isObject, parseJson } from '../../protocol/json.ts';
import { oneLine } from '../../text/wording.ts';

/** A provider's error report, in a form that all providers share. */
export interface Complaint {
  /** For people; one line, at most {@link messageLimit} characters; empty if there is none. */
  message: string;
  /** Its codes, types and status words, most specific first. */
  words: string[];
  /** An HTTP status named inside the body. */
  status: number | undefined;
}

const messageLimit = 600;

/**
 * Reads an error body: `{error: {message, code, type}}` (OpenAI, Anthropic, Groq), `{error: text}` (Ollama, xAI),
 * `[{error}]` (Gemini), `{errors: [{message}]}` (Cloudflare), `{Message}` (AWS), `{message: {detail: […]}}`
 * (Mistral), `{detail}` (FastAPI), `{object: 'error', message}` (vLLM), plain text, or an HTML page of a proxy in between.
 */
export function readComplaint(body: unknown): Complaint {
  const outer = Array.isArray(body) ? body[0] : body;
  if (!isObject(outer)) return { message: messageOn(boundedText(outer)), words: [], status: undefined };
  const [first] = Array.isArray(outer.errors) ? outer.errors : [];
  const inner = [outer.error, first].find(isObject) ?? outer;
  const raw = isObject(inner.metadata) ? boundedText(inner.metadata.raw) : '';
  const message = [inner.message, outer.error, outer.message, inner.detail, inner.error_msg, outer.Message]
    .map(boundedText)
    .find(Boolean);
  const candidates = [inner.code, inner.type, inner.status, outer.code, outer.type];
  return {
    message: messageOn([message ?? '', raw].filter(Boolean).join(': ')),
    words: candidates.filter((word): word is string => typeof word === 'string' && word !== ''),
    status: [inner.status_code, inner.code, inner.status, outer.status_code, outer.code]
      .map(statusOf)
      .find(Boolean),
  };
}

/** {@link readComplaint} of a body that may not be JSON. */
export function readComplaintText(text: string): Complaint {
  const body = parseJson(text);
  if (body !== undefined) return readComplaint(body);
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1];
  if (title !== undefined) return readComplaint(`a web page titled "${title.trim()}"`);
  return readComplaint(text.trimStart().startsWith('<') ? 'a web page' : text);
}

function statusOf(value: unknown): number | undefined {
  const status = typeof value === 'string' ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

function boundedText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value).slice(0, messageLimit) : '';
}

function messageOn(text: string): string {
  return oneLine(text.slice(0, 4 * messageLimit), messageLimit);
}
