import type { Toolbox } from '../../ports/toolbox.ts';
import type { TaintView } from '../../protocol/run-view.ts';
import { callName } from '../../records/call-id.ts';
import {
  parseMessage,
  type StoredCall,
  type StoredMessage,
  type StoredTaint,
  type SummaryBody,
} from '../../records/messages.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../statements.ts';

/** What a conversation is read for. */
export interface TaintedConversation {
  /** All that a prompt is made of, in order, without summaries. */
  messages: readonly StoredMessage[];
  /** What stands for the messages before; null when there were none, or somebody cleared them away. */
  summary: Pick<SummaryBody, 'text' | 'tainted'> | null;
}

/** No call has this number: the source is only known to have been there. */
const unknownCall = 0;

/**
 * Where the untrusted text of a conversation came from: the first result of each tool that brought some. It is read off
 * the results themselves each time, and through a summary off what the summary was made of; a summary that does not say
 * (an older one, an imported one) counts as tainted.
 *
 * @param inherited of the run that this one is a part of.
 */
export function taintOf(
  { messages, summary }: TaintedConversation,
  toolbox: Pick<Toolbox, 'isUntrusted'>,
  inherited: readonly StoredTaint[] = [],
): StoredTaint[] {
  const found = new Map<string, StoredTaint>();
  const add = (source: StoredTaint) => void (found.has(source.tool) || found.set(source.tool, source));
  for (const source of [...inherited, ...summarised(summary)]) add(source);
  const calls = new Map<string, StoredCall>();
  for (const { role, run, at, body } of messages) {
    if (role === 'assistant') for (const call of body.toolCalls) calls.set(`${run} ${call.callId}`, call);
    if (role !== 'tool' || !hasSpoken(body)) continue;
    const call = calls.get(`${run} ${body.callId}`);
    const tool = call?.name ?? 'a tool';
    if (!found.has(tool) && (!call || body.untrusted || toolbox.isUntrusted(call.name, call.arguments)))
      add({ tool, run, call: body.callId, at });
  }
  return [...found.values()];
}

function summarised(summary: TaintedConversation['summary']): readonly StoredTaint[] {
  if (!summary || summary.text === '') return [];
  return summary.tainted ?? [{ tool: 'an earlier summary', run: 0, call: unknownCall, at: 0 }];
}

/** Calls that were rejected, skipped or not taken up at all are told of in our own words. */
function hasSpoken({ status, code }: { status: string; code: string | null }): boolean {
  return (status === 'done' || status === 'failed') && code !== 'UNKNOWN_TOOL';
}

/** Where untrusted text came from in the prompt of the answer that asked for a call: for the run that the call starts. */
export async function taintAtCall(
  store: Store<'listMessagesOfRun'>,
  { pk: run, session }: RunRow,
  call: number,
): Promise<StoredTaint[]> {
  const messages = (await store.query('listMessagesOfRun', { session, run })).map(parseMessage);
  for (const { role, body } of messages)
    if (role === 'assistant' && body.toolCalls.some(({ callId }) => callId === call))
      return body.tainted ?? [];
  return [];
}

export function taintView(sources: readonly StoredTaint[], run: number): TaintView[] {
  return sources.map((source) => ({
    tool: source.tool,
    call: source.call === unknownCall ? null : callName(source.call),
    at: source.at,
    ...(source.run !== run && { earlier: true as const }),
  }));
}
