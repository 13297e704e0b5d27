import { readMessages } from '../engine/read-log.ts';
import type { Toolbox } from '../ports/toolbox.ts';
import type { TaintView } from '../protocol/run-view.ts';
import { callName } from '../records/call-id.ts';
import {
  parseMessage,
  type StoredCall,
  type StoredMessage,
  type StoredTaint,
  type SummaryBody,
  taintOfAnswer,
  taintOfWords,
  unknownSource,
} from '../records/stored-message.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from './statements.ts';

/** The parts of a conversation that the taint check reads. */
export interface TaintedConversation {
  /** All messages of the prompt, in order, without summaries. */
  messages: readonly StoredMessage[];
  /** The summary of the earlier messages; null when there were none, or the session was cleared. */
  summary: Pick<SummaryBody, 'text' | 'tainted'> | null;
}

/**
 * The sources of untrusted text in a conversation: the first untrusted result of each tool, computed each time, and what is
 * stored with its messages: where a prompt came from, and what the prompt of an answer had, because the result itself may
 * be deleted or in another conversation. A summary without sources (an older or imported one) counts as tainted.
 *
 * @param inherited what the run was started with.
 */
export function taintOf(
  { messages, summary }: TaintedConversation,
  toolbox: Pick<Toolbox, 'isUntrusted'>,
  inherited: readonly StoredTaint[] = [],
): StoredTaint[] {
  const found = new Map<string, StoredTaint>();
  const add = (source: StoredTaint) => void (found.has(source.tool) || found.set(source.tool, source));
  for (const source of [...inherited, ...summarised(summary)]) add(source);
  // Calls by the run and their id: a call and its result belong to one run.
  let calls = new Map<number, StoredCall>();
  let of: number | undefined;
  for (const { role, run, at, body } of messages) {
    if (run !== of) calls = new Map();
    of = run;
    if (role === 'user') for (const source of taintOfWords(body)) add(source);
    if (role === 'assistant') {
      for (const source of taintOfAnswer(body)) add(source);
      for (const call of body.toolCalls) calls.set(call.callId, call);
    }
    if (role !== 'tool' || !hasSpoken(body)) continue;
    const call = calls.get(body.callId);
    const tool = call?.name ?? 'a tool';
    if (!found.has(tool) && (!call || body.untrusted || toolbox.isUntrusted(call.name, call.arguments)))
      add({ tool, run, call: body.callId, at });
  }
  return [...found.values()];
}

function summarised(summary: TaintedConversation['summary']): readonly StoredTaint[] {
  if (!summary || summary.text === '') return [];
  return summary.tainted ?? [unknownSource('an earlier summary')];
}

/** The results of rejected, skipped and never started calls are Detent's own text. */
function hasSpoken({ status, code }: { status: string; code: string | null }): boolean {
  return (status === 'done' || status === 'failed') && code !== 'UNKNOWN_TOOL';
}

/** The sources of untrusted text in the prompt of the answer that asked for a call; the call's sub-run inherits them. */
export async function taintAtCall(
  store: Store<'pageMessagesOfRun'>,
  run: RunRow,
  call: number,
): Promise<StoredTaint[]> {
  for await (const row of readMessages(store, run)) {
    const { role, body } = parseMessage(row);
    if (role === 'assistant' && body.toolCalls.some(({ callId }) => callId === call))
      return body.tainted ?? [];
  }
  return [];
}

export function taintView(sources: readonly StoredTaint[], run: number): TaintView[] {
  return sources.map((source) => ({
    tool: source.tool,
    call: source.call === 0 ? null : callName(source.call),
    at: source.at,
    ...(source.run !== run && { earlier: true as const }),
  }));
}
