import type * as z from 'zod/mini';
import type { storedPart } from './run-values.ts';

/** What a part is shown as: an image, or a document that the provider reads. */
export type PartType = StoredPart['type'];

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
