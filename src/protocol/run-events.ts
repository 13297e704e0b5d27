import * as z from 'zod/mini';
import { deciders, takeoverStates } from './enums.ts';
import {
  answer,
  question,
  reason,
  runError,
  storedPart,
  todoItem,
  usage,
} from './methods/answers/run-values.ts';
import { jsonObject, toOperators, toReaders } from './methods/fields.ts';

/** An open question to a person, or a call that its client performs. */
const asked = z.object({
  callId: z.string(),
  name: z.string(),
  arguments: z.string(),
  argumentsHash: z.string(),
  why: toOperators('rule', z.string()),
  reason,
  /** A workflow asks, in the words of `why`. */
  asIs: z.exactOptional(z.literal(true)),
  preview: z.exactOptional(z.string()),
});

/** Who decided: a user, `token:NAME`, `cli:NAME`, `program` or `host`. Left out when nobody did. */
const by = z.exactOptional(z.string());
const resolved = z.object({
  callId: z.string(),
  verdict: z.string(),
  reason: z.exactOptional(z.string()),
  by,
});

const end = z.object({
  status: z.enum(['done', 'failed', 'cancelled']),
  outcome: z.string(),
  /** Of the last answer. */
  content: z.string(),
});

/**
 * What clients get of a run, by the name of the event: the payloads. All but the pieces of answers are a projection of the log, so
 * they can be read again at any time.
 */
export const runEventPayloads = {
  'lifecycle.start': z.object({
    sessionId: z.string(),
    agentName: z.string(),
    parentRunId: z.exactOptional(z.string()),
    parentCall: z.exactOptional(z.string()),
    /** The id of its chart. The run of a workflow has no agent: `agentName` is empty. */
    workflow: z.exactOptional(z.string()),
  }),
  /** What the run was asked, and what the user said while it ran. `job`: a scheduled job wrote it. */
  'user.message': z.object({
    content: z.string(),
    attachments: z.exactOptional(z.array(storedPart)),
    job: z.exactOptional(z.string()),
  }),
  /** A person of the staff says it in place of the agent. `name`: the one that users may know. */
  'staff.message': z.object({
    content: z.string(),
    name: z.exactOptional(z.string()),
    by: toReaders(z.exactOptional(z.string())),
  }),
  /**
   * A person of the staff is asked for, takes the conversation over, or gives it back (`over`): from then on the agent goes on. `runId`: the takeover, which has
   * their words, and keeps those of the user.
   */
  'takeover.changed': z.object({
    state: z.enum([...takeoverStates, 'over']),
    runId: z.string(),
    by: toReaders(z.exactOptional(z.string())),
  }),
  /** `event` moved the statechart. */
  'state.changed': z.object({ from: z.string(), to: z.string(), event: z.string() }),
  /**
   * What came to the chart of a workflow: an event from outside, what a service returned or failed with, or a timer. `name` is in
   * the names of the chart; `content` is the payload or the output as JSON. `sentBy` says who sent an event from outside; clients
   * without the scope `admin` read it of their own events alone.
   */
  'workflow.event': z.object({
    name: z.string(),
    from: z.enum(['outside', 'service', 'timer']),
    content: toReaders(z.exactOptional(z.string())),
    sentBy: z.exactOptional(toOperators('person', z.string())),
    error: z.exactOptional(runError),
  }),
  /** A model is asked. A step that is asked again, by another try or another model, does not begin again. */
  'step.begin': z.object({ stepNo: z.int(), isSubagent: z.boolean(), agentName: z.string() }),
  /** The answer broke off. Its words are withdrawn when `isAskedAgain`: `withdrawn` has them, if there were any. */
  'step.interrupted': z.object({
    stepNo: z.int(),
    effectId: z.int(),
    isAskedAgain: z.boolean(),
    error: runError,
    withdrawn: toReaders(z.exactOptional(z.object({ content: z.string(), reasoning: z.string() }))),
  }),
  'assistant.message': z.object({
    stepNo: z.int(),
    effectId: z.int(),
    model: toReaders(z.string()),
    content: z.string(),
    reasoning: toReaders(z.string()),
    refusal: z.string(),
    finishReason: z.nullable(z.string()),
    error: z.nullable(runError),
  }),
  /** `arguments` are as the model wrote them; `decision` says what policy made of the call. */
  'tool.call': z.object({
    callId: z.string(),
    name: z.string(),
    arguments: z.string(),
    decision: z.enum(['run', 'ask', 'refuse']),
    why: z.exactOptional(toOperators('rule', z.string())),
    asIs: z.exactOptional(z.literal(true)),
  }),
  /** A person must approve the call. `argumentsHash` proves with the decision what the person saw. */
  'tool.confirm_request': z.extend(asked, {
    kind: z.enum(['confirm', 'reconcile']),
    /** Who decides: the user of the run, or someone else who may approve; left out where anyone may who may approve. */
    decides: z.exactOptional(z.enum(deciders)),
  }),
  /** The caller of the run must perform the call, and give its result. */
  'tool.client_request': asked,
  /** `verdict`: `result`, or why there will be none. */
  'tool.client_resolved': resolved,
  'tool.confirm_resolved': resolved,
  'tool.result': z.object({
    callId: z.string(),
    name: z.string(),
    status: z.string(),
    isError: z.boolean(),
    code: z.nullable(z.string()),
    content: z.string(),
    attachments: z.exactOptional(z.array(storedPart)),
    /** What the tool gave for screens, beside its text. */
    data: z.exactOptional(jsonObject),
    /** The hook that changed the arguments after the call was decided on, and the new arguments. */
    changed: toReaders(z.exactOptional(z.object({ by: z.string(), arguments: z.string() }))),
  }),
  'question.asked': z.extend(asked, { question }),
  'question.answered': z.object({
    callId: z.string(),
    verdict: z.string(),
    answer: z.exactOptional(answer),
    by,
  }),
  'todo.updated': z.object({ items: z.array(todoItem) }),
  'artifact.created': z.object({ callId: z.string(), artifact: z.string() }),
  'skill.activated': z.object({ callId: z.string(), name: z.string() }),
  'subagent.started': z.object({ callId: z.string(), runId: z.string(), agentName: z.string() }),
  'subagent.ended': z.object({ callId: z.string(), runId: z.string(), isError: z.boolean() }),
  'memory.flush': z.object({ how: z.string(), lines: z.int(), error: z.nullable(runError) }),
  'compaction.begin': z.object({}),
  /** `summary` takes the place of the older messages in later prompts. */
  'compaction.end': z.object({
    error: z.nullable(runError),
    summary: toReaders(z.exactOptional(z.string())),
  }),
  /** Of one model call, and of the run so far. */
  usage: z.object({
    call: toReaders(usage),
    total: toReaders(
      z.object({ inputTokens: z.number(), outputTokens: z.number(), costUsd: z.nullable(z.number()) }),
    ),
  }),
  'lifecycle.end': end,
  'lifecycle.error': z.extend(end, { error: runError }),
};

export type RunEventPayloads = {
  [Name in keyof typeof runEventPayloads]: z.output<(typeof runEventPayloads)[Name]>;
};

/** One event of a run, as frames and the event stream carry it. */
export type RunEvent = {
  [Name in keyof RunEventPayloads]: {
    event: Name;
    runId: string;
    /** The transition. All its events share it: a reader that stops within it reads all of them again. */
    seq: number;
    /** The place among the events of the transition, from 0, and whether it is the last of them. */
    index: number;
    last: boolean;
    /** Milliseconds since the epoch. */
    at: number;
    payload: RunEventPayloads[Name];
  };
}[keyof RunEventPayloads];

const piece = z.object({
  /** The model call, as in `assistant.message`. */
  effectId: z.int(),
  attempt: z.int(),
  /** Characters of this part of the answer that come before. */
  offset: z.int(),
  content: z.string(),
});

/**
 * Pieces of an answer as it streams, and who performs a call. They are not in the log and have no `seq`: `assistant.message` has the whole answer.
 * `offset` is the place of the piece, so that a reader can tell a repeated one.
 */
export const runDeltaPayloads = {
  'assistant.delta': z.extend(piece, { contentType: z.enum(['text', 'refusal']) }),
  'assistant.reasoning': toReaders(z.extend(piece, {})),
  /** Withdraws all pieces of that attempt. */
  'assistant.reset': z.object({ effectId: z.int(), attempt: z.int() }),
  /**
   * An installation of the app performs a call until then at most, in milliseconds since the epoch; null: it gave the call back. `pending`
   * of the run says the same to who connects later.
   */
  'tool.client_claimed': z.object({ callId: z.string(), heldUntil: z.nullable(z.number()) }),
};

export type RunDeltaPayloads = {
  [Name in keyof typeof runDeltaPayloads]: z.output<(typeof runDeltaPayloads)[Name]>;
};

/** A piece of an answer, or what takes pieces back. */
export type RunPiece = Exclude<RunDelta, { event: 'tool.client_claimed' }>;

export function isPiece(delta: RunDelta): delta is RunPiece {
  return delta.event !== 'tool.client_claimed';
}

export type RunDelta = {
  [Name in keyof RunDeltaPayloads]: { event: Name; runId: string; payload: RunDeltaPayloads[Name] };
}[keyof RunDeltaPayloads];
