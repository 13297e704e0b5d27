import { type ContentPart, dataUrl, describePart, withNames } from '../../protocol/content.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { PromptMessage } from '../../protocol/ports.ts';
import { clean } from './call-to-send.ts';

/**
 * The content of a user message: its text alone, or a list of text, images and files.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function userContent(text: string, parts: readonly ContentPart[] = []): string | JsonObject[] {
  if (parts.length === 0) return clean(text);
  const words = withNames(text, parts);
  return [...(words === '' ? [] : [{ type: 'text', text: clean(words) }]), ...parts.map(wirePart)];
}

function wirePart(part: ContentPart): JsonObject {
  const url = dataUrl(part);
  if (part.type === 'image') return { type: 'image_url', image_url: { url } };
  return { type: 'file', file: { filename: fileName(part), file_data: url } };
}

/** The file's name with an extension, from which servers infer its type. */
export function fileName({ name = 'document' }: Pick<ContentPart, 'name'>): string {
  return /\.pdf$/i.test(name) ? name : `${name}.pdf`;
}

type ToolMessage = Extract<PromptMessage, { role: 'tool' }>;

/**
 * A tool result on this wire is text only. Its images and files go into a user message behind all results of that
 * answer, which names the call that each belongs to.
 */
export function partsBehindResults(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  if (!messages.some(isResultWithParts)) return messages;
  const moved: PromptMessage[] = [];
  let results: ToolMessage[] = [];
  for (const message of [...messages, null]) {
    if (message?.role === 'tool') {
      results.push(message);
      continue;
    }
    moved.push(...results.map(withoutParts), ...partsOf(results));
    results = [];
    if (message) moved.push(message);
  }
  return moved;
}

function isResultWithParts(message: PromptMessage): boolean {
  return message.role === 'tool' && message.parts !== undefined && message.parts.length > 0;
}

function withoutParts({ parts = [], ...result }: ToolMessage): ToolMessage {
  if (parts.length === 0) return result;
  const notes = parts.map((part) => `[${describePart(part)}: follows behind the results]`);
  return { ...result, text: [...(result.text === '' ? [] : [result.text]), ...notes].join('\n') };
}

function partsOf(results: readonly ToolMessage[]): PromptMessage[] {
  // The text of that message names each file.
  const parts = results
    .flatMap((result) => result.parts ?? [])
    .map(({ name, ...part }) => (part.type === 'image' || name === undefined ? part : { ...part, name }));
  if (parts.length === 0) return [];
  const lines = results.flatMap(({ name, parts = [] }, i) =>
    parts.map((part) => `- ${describePart(part)}: of result ${i + 1} of ${results.length}, ${name}`),
  );
  const text = `[Not from the user: what the tools returned besides text, in this order]\n${lines.join('\n')}`;
  return [{ role: 'user', text, parts }];
}
