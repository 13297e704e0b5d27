import type { RunDelta, RunEvent } from '../../index.ts';
import { addUsage, noTokens, type Usage } from '../../protocol/content.ts';
import { callName } from './ids.ts';

/** A call that the client must perform. */
export interface ClientCall {
  /** As the client names it in its results. */
  id: string;
  callId: string;
  name: string;
  arguments: string;
}

/**
 * The content of one completion or response: the part of a run from its beginning, or from the results of its client,
 * to its end, or to the next calls that the client must perform. The log alone decides where it begins and ends, so a
 * repeated request gets the same.
 */
export class Reply {
  readonly answers: { text: string; refusal: string }[] = [];
  readonly calls: ClientCall[] = [];
  /** Null for a client that may not know it. */
  usage: Usage | null;
  /** The transition that ended it, and when; null until it asks for calls. */
  end: { seq: number; at: number } | null = null;

  constructor(isCounted: boolean) {
    this.usage = isCounted ? { ...noTokens, costUsd: null } : null;
  }

  take(event: RunEvent | RunDelta): void {
    if (this.end) return;
    if (event.event === 'assistant.message' && event.payload.error === null) {
      const { content: text, refusal } = event.payload;
      this.answers.push({ text, refusal });
    } else if (event.event === 'usage' && this.usage) this.usage = addUsage(this.usage, event.payload.call);
    else if (event.event === 'tool.client_request') {
      const { callId, name, arguments: raw } = event.payload;
      this.calls.push({ id: callName({ runId: event.runId, callId }), callId, name, arguments: raw });
    }
    if ('seq' in event && event.last && this.calls.length > 0) this.end = { seq: event.seq, at: event.at };
  }
}

/** The replies of a run so far; the last one may be unfinished. */
export function repliesOf(events: readonly RunEvent[], isCounted = false): Reply[] {
  let current = new Reply(isCounted);
  const replies = [current];
  for (const event of events) {
    if (current.end) {
      current = new Reply(isCounted);
      replies.push(current);
    }
    current.take(event);
  }
  return replies;
}
