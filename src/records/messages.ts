import type { FinishKind } from '../protocol/answer.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { StoredPart } from '../protocol/parts.ts';
import type { TokenUsage } from '../protocol/usage.ts';

/** What the rows of `messages` hold, by role. Everything here has had known secrets taken out. */

export interface UserBody {
  text: string;
  parts?: StoredPart[];
}

export interface StoredCall {
  /** Ours: the number of the call's effect, unique in the run. */
  callId: number;
  /** The provider's. */
  id: string;
  name: string;
  /** As the model wrote it. */
  arguments: string;
  /** What policy said of it, and by which rule. */
  why?: string;
}

export interface StoredError {
  code: string;
  message: string;
  retryable: boolean;
}

export interface AssistantBody {
  /** The model call that gave this answer. */
  effectId: number;
  /** The last transition whose messages the call had seen: later ones come after this answer in every prompt. */
  upTo: number;
  /** The model that was asked for, as `provider/model`. */
  provider: string;
  /** The model that answered, in the provider's words. */
  model: string;
  text: string;
  reasoning: string;
  refusal: string;
  finishReason: string | null;
  finish: FinishKind;
  usage: TokenUsage | null;
  costUsd: number | null;
  /** Kept from an earlier call that asked the same; nobody was asked. */
  cached?: true;
  toolCalls: StoredCall[];
  providerData?: JsonObject;
  /** Set when the answer broke off: what is here is all that arrived. */
  error: StoredError | null;
  /** Where untrusted text in its prompt came from, as policy saw it. Policy itself reads it off the results each time. */
  tainted?: StoredTaint[];
  /** Our estimate of the prompt's tokens, beside which the provider's count in `usage` teaches how to estimate. */
  estimated?: number;
}

export type CallStatus = 'done' | 'failed' | 'rejected' | 'skipped' | 'cancelled' | 'uncertain';

export interface ToolBody {
  callId: number;
  text: string;
  isError: boolean;
  code: string | null;
  status: CallStatus;
  /** The call itself has said so; for most results that is known by their tool. */
  untrusted?: true;
  /** Where the whole output is when `text` is a preview. */
  artifact?: string;
  /** The hook that changed the arguments, and those that were used. */
  changed?: { by: string; arguments: string };
  parts?: StoredPart[];
}

/** Instead of an effect's number: the summary of no words that a cleared session begins with. */
export const clearing = 0;

export interface SummaryBody {
  text: string;
  effectId: number;
  /** Where the messages begin that it does not stand for: the run's key in the database, and the transition. */
  head?: { run: number; seq: number };
  /** Where untrusted text came from in what it stands for. Left out where nobody knows. */
  tainted?: StoredTaint[];
  /** Of the call that wrote it. */
  usage: TokenUsage | null;
  costUsd: number | null;
  /** `provider/model` that wrote it, and our estimate of what it was asked with. */
  provider?: string;
  estimated?: number;
  /** What refused prompts had taught of that model; see `Learned`. */
  window?: number;
  room?: number;
}

/** A message row with its body parsed. */
export type StoredMessage = { run: number; seq: number; at: number } & (
  | { role: 'user'; body: UserBody }
  | { role: 'assistant'; body: AssistantBody }
  | { role: 'tool'; body: ToolBody }
  | { role: 'summary'; body: SummaryBody }
);

/** Whether it is no summary of a model's, but where somebody cleared the session. */
export function isClearing({ role, body }: StoredMessage): boolean {
  return role === 'summary' && body.effectId === clearing;
}

export function parseMessage(row: {
  run: number;
  seq: number;
  at: number;
  role: StoredMessage['role'];
  body: string;
}): StoredMessage {
  return {
    run: row.run,
    seq: row.seq,
    at: row.at,
    role: row.role,
    body: JSON.parse(row.body),
  } as StoredMessage;
}

/** A result that brought untrusted text into a conversation, as rows keep it: `run` is the store's integer. */
export interface StoredTaint {
  tool: string;
  run: number;
  call: number;
  at: number;
}

/** A call whose prompt was both estimated and counted. */
export type CountedCall = Pick<AssistantBody | SummaryBody, 'usage' | 'estimated'>;
