import type * as z from 'zod/mini';
import { isObject, type JsonObject } from './json.ts';
import type { storedPart, tokenUsage, usage } from './methods/answers/run-values.ts';

/**
 * Tokens of one model call, as the provider counted them. `inputTokens` includes the cached ones, `outputTokens` those
 * of reasoning.
 */
export type TokenUsage = z.output<typeof tokenUsage>;

/** Tokens and money; `costUsd` is null when no price is known. */
export type Usage = z.output<typeof usage>;

export const noTokens: TokenUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});

/** A sum leaves out what is unknown; it is unknown itself only where all of it is. */
export function addUsage(one: Usage, other: Usage): Usage {
  const cacheWrite = (one.cacheWriteInputTokens ?? 0) + (other.cacheWriteInputTokens ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    costUsd: other.costUsd === null ? one.costUsd : (one.costUsd ?? 0) + other.costUsd,
    ...(cacheWrite > 0 && { cacheWriteInputTokens: cacheWrite }),
    ...((one.estimated || other.estimated) && { estimated: true as const }),
  };
}

/** A tool call as the model wrote it. `arguments` is its raw text, which need not be valid JSON. */
export interface ModelToolCall {
  /** The provider's id; may be empty, and may repeat between answers. */
  id: string;
  name: string;
  arguments: string;
}

/** Why an answer ended, normalised; `unknown` if the provider gave no reason, or one that Detent does not know. */
export type FinishKind = 'stop' | 'toolCalls' | 'length' | 'contentFilter' | 'refusal' | 'unknown';

export type ModelErrorKind =
  | 'auth'
  | 'permission'
  | 'not_found'
  | 'bad_request'
  | 'context_overflow'
  | 'rate_limit'
  | 'overloaded'
  | 'server'
  | 'timeout'
  | 'network'
  | 'aborted'
  | 'malformed';

/** A failed model call. `code` is Detent's stable code (`MODEL_AUTH`), `providerCode` that of the provider. */
export interface ModelError {
  kind: ModelErrorKind;
  code: string;
  message: string;
  retryable: boolean;
  status?: number;
  providerCode?: string;
  /** From `Retry-After`; milliseconds from the moment the answer came. */
  retryAfterMs?: number;
}

/** One whole model answer. With `error` set, the other fields hold what had arrived before the failure. */
export interface ModelAnswer {
  /** The model that answered, in the provider's words. */
  model: string;
  text: string;
  reasoning: string;
  refusal: string;
  toolCalls: ModelToolCall[];
  /** The provider's own word; null when it gave none. */
  finishReason: string | null;
  finish: FinishKind;
  usage: TokenUsage | null;
  /** Data to send back to the provider unchanged (`reasoning_details`, signatures). Only its adapter reads it. */
  providerData?: JsonObject;
  error: ModelError | null;
  /** Set if the answer comes from the cache: no provider was called. */
  cached?: true;
  /** Set with `error`, if the provider had begun to answer: it has read the prompt, and charges for it. */
  began?: true;
}

/** The answer of a call that failed before any output; without an error it says nothing. */
export function unanswered(model: string, error: ModelError | null): ModelAnswer {
  return {
    model,
    text: '',
    reasoning: '',
    refusal: '',
    toolCalls: [],
    finishReason: null,
    finish: 'unknown',
    usage: null,
    error,
  };
}

/** A delta of a streaming answer. Deltas are never stored; the whole answer follows. */
export type ModelDelta =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'refusal'; text: string }
  | { type: 'toolCall'; index: number; id: string; name: string; argumentsDelta: string };

export function deltaText(delta: ModelDelta): string {
  return delta.type === 'toolCall' ? delta.argumentsDelta : delta.text;
}

/** Which part of its answer a delta continues: deltas of one part follow each other. */
export function deltaPart(delta: ModelDelta): string {
  return delta.type === 'toolCall' ? `call ${delta.index}` : delta.type;
}

export function isModelDelta(delta: unknown): delta is ModelDelta {
  if (!isObject(delta)) return false;
  const { type, index, text, argumentsDelta } = delta;
  if (type === 'toolCall') return Number.isInteger(index) && typeof argumentsDelta === 'string';
  return (type === 'text' || type === 'reasoning' || type === 'refusal') && typeof text === 'string';
}

/** What a part is shown as: an image, or a document that the provider reads. */
type PartType = StoredPart['type'];

/** What a model may be able to take besides text. */
export type Acceptable = 'image' | 'pdf';

/** An image or a document as a message holds it: the bytes are in a row of `artifacts`. */
export type StoredPart = z.output<typeof storedPart>;

type PartHead = Pick<StoredPart, 'type' | 'mimeType' | 'name'>;

/** The same with its bytes: as it comes in, and as a model is given it. */
export interface ContentPart extends PartHead {
  /** Base64 (RFC 4648 §4), with padding. */
  data: string;
}

/** As people and programs see it. */
export type PartView = StoredPart;

/** What a model must take for a part of this kind. */
export function neededFor({ type }: Pick<PartHead, 'type'>): Acceptable {
  return type === 'image' ? 'image' : 'pdf';
}

/** `image photo.png, 34 kB` */
export function describePart(part: PartHead & ({ bytes: number } | { data: string })): string {
  const { name, mimeType } = part;
  const word = part.type === 'image' ? 'image' : 'file';
  const bytes = 'bytes' in part ? part.bytes : base64Bytes(part.data);
  return `${word} ${name ?? mimeType}, ${sizeText(bytes)}`;
}

/** One line for each part, in brackets. */
export function mentionParts(parts: readonly StoredPart[] = []): string[] {
  return parts.map((part) => `[${describePart(part)}]`);
}

/** A text with the names of the images that go with it: no wire has another place for them. */
export function withNames(text: string, parts: readonly ContentPart[] = []): string {
  const named = parts.filter(({ type, name }) => type === 'image' && name !== undefined);
  return [...(text === '' ? [] : [text]), ...named.map((part) => `[${describePart(part)}]`)].join('\n');
}

/** A text file as a message holds it, behind the words of the user. */
export function textFile(name: string, text: string, bytes: number): string {
  return `[File ${name}, ${sizeText(bytes)}]\n${text.replace(/\n$/, '')}\n[End of ${name}]`;
}

/** The words of a message without the text files behind them, and how those are called. */
export function withoutTextFiles(text: string): { words: string; files: string[] } {
  const head = /(?:^|\n\n)\[File ([^\n]*, [\d.]+ (?:B|kB|MB))\]\n/g;
  const heads = [...text.matchAll(head)];
  return {
    words: text.slice(0, heads[0]?.index ?? text.length),
    files: heads.map(([, name]) => `file ${name}`),
  };
}

/** A name as prompts and requests can hold it: of one line and some length; undefined when nothing is left of it. */
export function partName(name: string | undefined): string | undefined {
  const line = name
    ?.toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return line ? Array.from(line).slice(0, 200).join('') : undefined;
}

/** Bytes as people read them, in units of 1,000. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** How many bytes a base64 text stands for. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}

/** Bytes as base64, on any host. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  // Whole groups of three bytes, and no more arguments than a call takes.
  for (let at = 0; at < bytes.length; at += 24_576)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + 24_576)));
  return text;
}

/** Whether a text is base64 that every decoder reads alike: padded, without spaces or the URL alphabet. */
export function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

/** `data:image/png;base64,…`, as OpenAI's wires want files. */
export function dataUrl({ mimeType, data }: Pick<ContentPart, 'mimeType' | 'data'>): string {
  return `data:${mimeType};base64,${data}`;
}

/**
 * What one message, and one request, may hold: Anthropic takes requests of 32 MB, of which base64 needs a third, and
 * more than 20 images only in lower resolution; OpenAI takes images of 20 MB.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 * @see https://platform.openai.com/docs/guides/images-vision
 */
export const maxParts = 20;
export const maxPartBytes = 20_000_000;

/** What bytes are, by what they begin with. */
export interface MediaType {
  type: PartType;
  mimeType: string;
}

const signatures: readonly (readonly [mimeType: string, type: PartType, place: number, bytes: string])[] = [
  ['image/png', 'image', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 'image', 0, '\xff\xd8\xff'],
  ['image/gif', 'image', 0, 'GIF87a'],
  ['image/gif', 'image', 0, 'GIF89a'],
  ['image/webp', 'image', 8, 'WEBP'],
  ['application/pdf', 'file', 0, '%PDF-'],
];

/** As many bytes as {@link mediaTypeOf} looks at. */
export const mediaTypeBytes = 12;

/**
 * Tells the images and documents that every wire can carry by their content; null for everything else. A name or a
 * declared type says nothing: a provider looks at the bytes, and refuses the whole request when they are something
 * else.
 *
 * @see https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern
 */
export function mediaTypeOf(bytes: Uint8Array): MediaType | null {
  for (const [mimeType, type, place, signature] of signatures)
    if (hasAt(bytes, place, signature) && (place === 0 || hasAt(bytes, 0, 'RIFF'))) return { type, mimeType };
  return null;
}

/** The same for base64. */
export function mediaTypeOfBase64(data: string): MediaType | null {
  const head = atob(data.slice(0, mediaTypeBytes * 2));
  return mediaTypeOf(Uint8Array.from(head, (character) => character.charCodeAt(0)));
}

function hasAt(bytes: Uint8Array, place: number, signature: string): boolean {
  if (bytes.length < place + signature.length) return false;
  for (let i = 0; i < signature.length; i++) if (bytes[place + i] !== signature.charCodeAt(i)) return false;
  return true;
}

/** The text that bytes are; null when they are not UTF-8, or hold characters that no text has. */
export function textOfBytes(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/**
 * A tool result with more than text: the result of a call in the Model Context Protocol. An item may also have a `name`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-06-18/server/tools#tool-result
 */
export interface ToolContent {
  content: readonly ToolContentItem[];
  /**
   * For the client's screens, beside content for the model: a JSON object of at most 64 KB that comes with the event `tool.result` and
   * stands in no prompt. Without content the model reads it.
   */
  structuredContent?: JsonObject;
  /** The call failed; the text says why. */
  isError?: boolean;
}

export type ToolContentItem =
  | { type: 'text'; text: string }
  /** `data`: base64. The model gets PNG, JPEG, GIF and WebP; other formats become a note. */
  | { type: 'image'; data: string; mimeType: string; name?: string }
  | { type: 'audio'; data: string; mimeType: string }
  /** `blob`: base64. The model gets images and PDF files. */
  | { type: 'resource'; name?: string; resource: ResourceContent }
  | { type: 'resource_link'; uri: string; name?: string; description?: string; mimeType?: string };

export interface ResourceContent {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

/**
 * Makes a tool result with images or PDF files.
 *
 * @param files their type is detected from their bytes
 * @example
 * ```ts
 * run: async () => toolContent('The page as it looks now.', [{ data: await screenshot(), name: 'page.png' }])
 * ```
 */
export function toolContent(
  text: string,
  files: readonly { data: Uint8Array; name?: string }[] = [],
): ToolContent {
  return {
    content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files.map(fileItem)],
  };
}

function fileItem({ data, name }: { data: Uint8Array; name?: string }): ToolContentItem {
  const named = name === undefined ? {} : { name };
  const blob = toBase64(data);
  const { type, mimeType } = mediaTypeOf(data) ?? { type: 'file', mimeType: 'application/octet-stream' };
  if (type === 'image') return { type, data: blob, mimeType, ...named };
  return { type: 'resource', ...named, resource: { uri: `attachment:${name ?? ''}`, mimeType, blob } };
}
