import type { RunFailure } from '../../machines/run.types.ts';
import type { ModelAnswer, StoredPart, TokenUsage } from '../protocol/content.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

/** What the answers of an imported run name as their model. */
export const importedModel = 'imported/history';

/** The bodies of `messages` rows, by role. All of them are redacted. */

export interface UserBody {
  text: string;
  parts?: StoredPart[];
  /** Set when no person wrote it: it is the result of a scheduled job. */
  job?: { id: string; tainted?: StoredTaint[] };
  /** The sources of untrusted text in it. */
  tainted?: StoredTaint[];
}

/** What a person of the staff said during a takeover. */
export interface StaffBody {
  text: string;
  /** Who, as decisions name people. */
  by: string;
  /** The name that users may know. */
  name?: string;
}

/** The sources of untrusted text in a message of the user. Rows of earlier versions have them with the job. */
export function taintOfWords({ tainted, job }: UserBody): readonly StoredTaint[] {
  return tainted ?? job?.tainted ?? [];
}

/** The sources of untrusted text in an answer. It is unknown what the model of a foreign file had read. */
export function taintOfAnswer({ tainted, provider }: AssistantBody): readonly StoredTaint[] {
  return tainted ?? (provider === importedModel ? [imported] : []);
}

export interface StoredCall {
  /** Ours: the number of the call's effect, unique in the run. */
  callId: number;
  /** The provider's. */
  id: string;
  name: string;
  /** As the model wrote it. */
  arguments: string;
  /** Policy's decision on the call, and its rule. */
  why?: string;
  /** A workflow asks, in the words of `why`. */
  asIs?: true;
}

export interface AssistantBody extends Omit<ModelAnswer, 'toolCalls' | 'error' | 'began'> {
  /** The model call that gave this answer. */
  effectId: number;
  /** The last transition whose messages the call had seen: later ones come after this answer in every prompt. */
  upTo: number;
  /** The requested model, as `provider/model`. */
  provider: string;
  costUsd: number | null;
  toolCalls: StoredCall[];
  /** Set when the answer was interrupted; the body then holds what had arrived. */
  error: RunFailure | null;
  /** The JSON of an answer that fits the run's output schema, as the model wrote it. */
  output?: JsonValue;
  /** Why the answer does not fit the run's output schema, a line each. */
  unfit?: string;
  /** The model may answer again, so all later prompts have those lines behind the answer. */
  isToMend?: true;
  /** The sources of untrusted text in its prompt, which may be in the answer, too. */
  tainted?: StoredTaint[];
  /** The estimated tokens of the prompt. With the provider's count in `usage` it calibrates later estimates. */
  estimated?: number;
}

export type CallStatus = 'done' | 'failed' | 'rejected' | 'skipped' | 'cancelled' | 'uncertain';

export interface ToolBody {
  callId: number;
  text: string;
  isError: boolean;
  code: string | null;
  status: CallStatus;
  /** Set when the call itself declared it; for most results the tool decides. */
  untrusted?: true;
  /** Where the whole output is when `text` is a preview. */
  artifact?: string;
  /** The hook that changed the arguments, and the new arguments. */
  changed?: { by: string; arguments: string };
  parts?: StoredPart[];
  /** For the client's screens: in no prompt. */
  data?: JsonObject;
}

/** Instead of an effect's number: marks the empty summary at the beginning of a cleared session. */
export const clearing = 0;

/** A place in a session: the key of one of its runs in the database, and a transition of it. */
export interface Position {
  run: number;
  seq: number;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.run < b.run || (a.run === b.run && a.seq < b.seq);
}

export interface SummaryBody {
  text: string;
  effectId: number;
  /** The first message that it does not replace. */
  head?: Position;
  /** The sources of untrusted text in the messages that it replaces. Undefined when unknown. */
  tainted?: StoredTaint[];
  /** Of the call that wrote it. */
  usage: TokenUsage | null;
  costUsd: number | null;
  /** `provider/model` that wrote it, and the estimated tokens of its prompt. */
  provider?: string;
  estimated?: number;
  /** The calibration from refused prompts of that model; see `Learned`. */
  window?: number;
  room?: number;
}

/** A message row with its body parsed. */
export type StoredMessage = { run: number; seq: number; at: number } & (
  | { role: 'user'; body: UserBody }
  | { role: 'assistant'; body: AssistantBody }
  | { role: 'staff'; body: StaffBody }
  | { role: 'tool'; body: ToolBody }
  | { role: 'summary'; body: SummaryBody }
  | { role: 'withdrawn'; body: AssistantBody }
);

/** What a message says, without its place. */
export type Said = StoredMessage extends infer M
  ? M extends StoredMessage
    ? Pick<M, 'role' | 'body'>
    : never
  : never;

/** Whether this is not a model's summary but the mark of a cleared session. */
export function isClearing({ role, body }: StoredMessage): boolean {
  return role === 'summary' && body.effectId === clearing;
}

/** Fields that a row leaves out where they have these values, as they have in most answers and results. */
const usual = {
  answer: { text: '', reasoning: '', refusal: '', costUsd: null, error: null },
  usage: { cachedInputTokens: 0, reasoningTokens: 0 },
  result: { isError: false, code: null },
} as const;

/** The JSON of a message's row; {@link parseBody} reads it. */
export function bodyText(message: Pick<StoredMessage, 'role' | 'body'>): string {
  return JSON.stringify(leanBody(message as StoredMessage));
}

/** Undefined fields are not in the JSON. */
function leanBody({ role, body }: StoredMessage): object {
  if (role === 'tool') return { ...body, isError: body.isError || undefined, code: body.code ?? undefined };
  if (role !== 'assistant' && role !== 'withdrawn') return body;
  const { text, reasoning, refusal, usage, costUsd, error } = body;
  return {
    ...body,
    text: text || undefined,
    reasoning: reasoning || undefined,
    refusal: refusal || undefined,
    usage: usage && {
      ...usage,
      cachedInputTokens: usage.cachedInputTokens || undefined,
      reasoningTokens: usage.reasoningTokens || undefined,
    },
    costUsd: costUsd ?? undefined,
    error: error ?? undefined,
  };
}

/** The body of a message's row. */
export function parseBody({
  role,
  body,
}: {
  role: StoredMessage['role'];
  body: string;
}): StoredMessage['body'] {
  const stored = JSON.parse(body);
  if (role === 'tool') return { ...usual.result, ...stored };
  if (role !== 'assistant' && role !== 'withdrawn') return stored;
  return { ...usual.answer, ...stored, usage: stored.usage && { ...usual.usage, ...stored.usage } };
}

export function parseMessage(row: {
  run: number;
  seq: number;
  at: number;
  role: StoredMessage['role'];
  body: string;
}): StoredMessage {
  return { run: row.run, seq: row.seq, at: row.at, role: row.role, body: parseBody(row) } as StoredMessage;
}

/** A result that brought untrusted text into a conversation, as stored: `run` is the store's integer. */
export type StoredTaint = {
  tool: string;
  run: number;
  call: number;
  at: number;
};

/** Anybody may have written the file that a conversation was imported from. */
export const imported: StoredTaint = { tool: 'an imported conversation', run: 0, call: 0, at: 0 };

/** A source of which only the existence is known. */
export function unknownSource(tool: string): StoredTaint {
  return { tool, run: 0, call: 0, at: 0 };
}

/** A call whose prompt was both estimated and counted. */
export type CountedCall = Pick<AssistantBody | SummaryBody, 'usage' | 'estimated'>;
