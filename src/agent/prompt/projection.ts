import { providerOf } from '../../models/provider-config.ts';
import { type PromptMessage, summaryHeading, unfitHeading } from '../../protocol/ports.ts';
import type { Position } from '../../store/stored-message.ts';
import type { AnswerBlock, Block } from '../messages/blocks.ts';
import { type PartsToSend, partsKey, withParts } from './parts-to-send.ts';
import { withoutOldResults } from './pruning.ts';

/** Everything in a prompt besides the blocks. */
export interface Frame {
  system: string;
  summary: string | null;
  /** `provider/model` of this call. `providerData` goes back only to the provider that made it. */
  provider: string;
  /** The place up to which long tool results are shortened; without it none is. */
  pruned?: Position;
  /** The images and documents to send; without it the prompt only mentions them. */
  sent?: PartsToSend;
  /** Texts from hooks. */
  added?: AddedContext;
}

/** Texts in prompts that are not part of the conversation. */
export interface AddedContext {
  /** The run's key in the database. */
  run: number;
  /** Placed before the run's own messages, so that the position is the same in every prompt. */
  start: readonly string[];
  /** For this call only: placed before the last message of the user, or after the results of the last answer. */
  now: readonly string[];
}

/**
 * The conversation as a model gets it. Pure, and valid for every provider by construction: exactly one result follows each
 * call, in call order, and ids are unique in the prompt.
 */
export function toPrompt(blocks: readonly Block[], frame: Frame): PromptMessage[] {
  const { system, summary, provider, pruned, sent, added } = frame;
  const prompt: PromptMessage[] = [];
  if (system !== '') prompt.push({ role: 'system', text: system });
  if (summary !== null) prompt.push({ role: 'user', text: `${summaryHeading}\n\n${summary}` });
  const taken = new Set<string>();
  const ownPrefix = `${providerOf(provider)}/`;
  const start = (added?.start ?? []).map(inUserRole);
  for (const block of pruned ? withoutOldResults(blocks, pruned) : blocks) {
    if (block.run === added?.run) prompt.push(...start.splice(0));
    if (block.kind === 'user') {
      const { text, parts } = block;
      prompt.push(
        ...written(block, partsKey(block, sent), () => [{ role: 'user', ...withParts(text, parts, sent) }]),
      );
      continue;
    }
    const { body, run } = block;
    const ids = body.toolCalls.map(({ id, callId }) => {
      // Some providers send no id, or start from call_0 in every answer.
      let unique = id === '' || taken.has(id) ? `call_${run}_${callId}` : id;
      // A model that has seen a generated id may write the same one.
      while (taken.has(unique)) unique += '_';
      taken.add(unique);
      return unique;
    });
    const isOwn = body.provider.startsWith(ownPrefix) || providerOf(body.provider) === providerOf(provider);
    const as = `${isOwn} ${ids.join(' ')}${partsKey(block, sent)}`;
    prompt.push(...written(block, as, () => answerMessages(block, ids, isOwn, sent)));
  }
  prompt.push(...start);
  const now = (added?.now ?? []).map(inUserRole);
  prompt.splice(prompt.at(-1)?.role === 'user' ? -1 : prompt.length, 0, ...now);
  return prompt;
}

function inUserRole(text: string): PromptMessage {
  return { role: 'user', text };
}

function answerMessages(
  { body, results }: AnswerBlock,
  ids: readonly string[],
  isOwn: boolean,
  sent: PartsToSend | undefined,
): PromptMessage[] {
  return [
    {
      role: 'assistant',
      text: body.text || body.refusal,
      reasoning: body.reasoning,
      toolCalls: body.toolCalls.map((call, i) => ({
        id: ids[i] ?? '',
        name: call.name,
        arguments: call.arguments,
      })),
      ...(body.providerData && isOwn && { providerData: body.providerData }),
    },
    ...results.map((result, i) => ({
      role: 'tool' as const,
      toolCallId: ids[i] ?? '',
      name: body.toolCalls[i]?.name ?? '',
      ...withParts(result.text, result.parts, sent),
      isError: result.isError,
    })),
    ...(body.isToMend ? [inUserRole(mendText(body.unfit ?? ''))] : []),
  ];
}

/** Tells the model what is wrong with its answer. */
function mendText(problems: string): string {
  return `${unfitHeading}\n${problems}\nAnswer again with the corrected JSON alone.`;
}

/** The last projection of a block. */
interface Writing {
  as: string;
  messages: readonly PromptMessage[];
}

function notWritten(): Writing {
  return { as: '', messages: [] };
}

/** Returns the same objects while a block's projection is the same, so that their token estimates stay cached. */
function written(block: Block, as: string, write: () => PromptMessage[]): readonly PromptMessage[] {
  const last = block.derive(notWritten);
  if (last.messages.length > 0 && last.as === as) return last.messages;
  last.as = as;
  last.messages = write();
  return last.messages;
}
