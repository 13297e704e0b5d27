import * as z from 'zod/mini';
import { takeoverStates, thumbs } from '../../enums.ts';
import { about, named, status, toReaders } from '../fields.ts';
import { outcome } from './run.ts';
import { failure, storedPart, usage } from './run-values.ts';

/** Runs and sessions in lists, and what was said in them. Times are milliseconds since the epoch. */

const asks = about(z.exactOptional(z.array(z.string())), 'The tools that it asks about.');
const asksStaff = about(
  z.exactOptional(z.array(z.string())),
  'Those of them on which the user of the run cannot decide: they wait for somebody else who may approve.',
);

/** What a user said of an answer. */
const rating = named(
  'Rating',
  z.strictObject({
    thumb: z.enum(thumbs),
    reason: z.exactOptional(z.string()),
    by: toReaders(z.exactOptional(z.string())),
    at: z.number(),
  }),
);

export const runSummary = named(
  'RunSummary',
  z.strictObject({
    runId: z.string(),
    sessionId: z.string(),
    /** For a sub-run, the run whose call started it. */
    parentRunId: z.exactOptional(z.string()),
    /** Of a fork: its original, and the last transition that it kept of that. */
    forkedFrom: z.exactOptional(z.strictObject({ runId: z.string(), seq: z.int() })),
    parentCall: z.exactOptional(z.string()),
    status,
    state: about(z.string(), 'Of its statechart, as people know it: `thinking`, `awaitingConfirm`.'),
    outcome: z.nullable(outcome),
    workflow: about(z.exactOptional(z.string()), 'The id of its chart; its agent and model are empty.'),
    agent: z.string(),
    /** `provider/model`, as asked for. */
    model: toReaders(z.string()),
    prompt: about(z.string(), 'The first words of its first message, or of the input of a workflow.'),
    asks,
    asksStaff,
    error: z.exactOptional(failure),
    course: about(
      z.exactOptional(z.array(z.tuple([z.string(), z.number()]))),
      'The states that it has been in, each with how long, in milliseconds.',
    ),
    /** What its model calls cost; null when no price of them is known. */
    costUsd: toReaders(z.nullable(z.number())),
    ratings: about(
      z.exactOptional(z.array(rating)),
      'Where the list is of one session: what its user said of answers of the run, first ones first.',
    ),
    createdAt: z.number(),
    updatedAt: z.number(),
  }),
);

/** The takeover of a session. */
const takenOver = named(
  'TakenOver',
  z.strictObject({
    runId: about(z.string(), 'The run of the takeover: its events have what is said.'),
    state: about(z.enum(takeoverStates), '`waiting`: nobody of the staff has come yet.'),
    since: z.number(),
    /** Who of the staff has it. */
    by: toReaders(z.exactOptional(z.string())),
    reason: toReaders(z.exactOptional(z.string())),
    summary: toReaders(z.exactOptional(z.string())),
  }),
);

const session = {
  sessionId: z.string(),
  userId: about(toReaders(z.exactOptional(z.string())), 'Whose it is. Left out if nobody’s.'),
  title: about(z.exactOptional(z.string()), 'What a person calls it.'),
  pinned: about(z.boolean(), 'A person keeps it above the others.'),
  runs: z.int(),
  isBranch: about(
    z.exactOptional(z.literal(true)),
    'It has a fork: a copy of another session up to some transition, and what followed it.',
  ),
  parentSessionId: about(
    toReaders(z.exactOptional(z.string())),
    'Of a session of a sub-run: that of the run whose call or service began it.',
  ),
  status: about(z.nullable(status), 'Of its first unfinished run, or its last one.'),
  state: about(z.nullable(z.string()), 'Of that run.'),
  asks,
  asksStaff,
  error: z.exactOptional(failure),
  takenOver: about(
    z.exactOptional(takenOver),
    'A person of the staff speaks here in place of the agent, or is awaited; what the user says is kept.',
  ),
  ratings: about(
    toReaders(z.exactOptional(z.strictObject({ up: z.int(), down: z.int() }))),
    'How many of its answers its user called good, and bad. Left out: none.',
  ),
  last: about(z.string(), 'The first words of the last answer.'),
  /** Of its newest run; null without runs. */
  outcome: z.nullable(outcome),
  /** The id of its chart, if that run is of a workflow. */
  workflow: z.exactOptional(z.string()),
  agent: z.nullable(z.string()),
  model: toReaders(z.nullable(z.string())),
  prompt: about(z.string(), 'The first words of its first message.'),
  /** What its model calls cost; null when no price of them is known. */
  costUsd: toReaders(z.nullable(z.number())),
  createdAt: z.number(),
  lastActivityAt: z.number(),
  messages: z.int(),
};

export const sessionSummary = named('SessionSummary', z.strictObject(session));

export const message = named(
  'Message',
  z.strictObject({
    role: z.enum(['user', 'assistant', 'tool', 'summary']),
    from: about(
      z.exactOptional(z.literal('staff')),
      'A person of the staff said it in place of the agent; `name`, if there is one, is for users to read.',
    ),
    /** Who of the staff. */
    by: toReaders(z.exactOptional(z.string())),
    text: z.string(),
    at: z.number(),
    runId: z.string(),
    /** The transition that wrote it; 0 for the prompt. */
    seq: z.int(),
    /** False after a compaction or clear: the message stays in the log but is in no prompt. */
    inPrompt: toReaders(z.boolean()),
    attachments: z.exactOptional(z.array(storedPart)),
    /** Of an answer: the calls that it asks for. */
    toolCalls: z.exactOptional(
      z.array(z.strictObject({ callId: z.string(), name: z.string(), arguments: z.string() })),
    ),
    /** Of a result: which call, and how that ended. */
    callId: z.exactOptional(z.string()),
    name: z.exactOptional(z.string()),
    status: z.exactOptional(z.string()),
    /** Of an answer: what the user said of it. */
    rating: z.exactOptional(rating),
  }),
);

export const sessionView = named(
  'Session',
  z.strictObject({
    ...session,
    usage: toReaders(usage),
    history: about(
      z.array(
        z.strictObject({
          runId: z.string(),
          status,
          /** Null until the run has ended, and for an imported one. */
          outcome: z.nullable(outcome),
          createdAt: z.number(),
          updatedAt: z.number(),
          /** Whether it is a history from a file. */
          imported: z.boolean(),
        }),
      ),
      'Its runs, first ones first.',
    ),
    conversation: z.array(message),
  }),
);

/** Who wrote a line: a person, an agent, or an agent that had read untrusted text. */
export const author = z.enum(['owner', 'agent', 'untrusted']);

/** The state of an index that was searched. */
export const searched = {
  /** Entries in the index. */
  indexed: z.int(),
  /** Changed ones that are not in the index yet; null when not counted. */
  pending: z.nullable(z.int()),
  stale: about(z.boolean(), 'Whether hits may be missing.'),
  reason: about(z.nullable(z.string()), 'Why hits are missing, or why there are none.'),
};

export const sessionSearch = named(
  'SessionSearch',
  z.strictObject({
    /** By words only: embedding every conversation would cost model calls. */
    mode: z.literal('lexical'),
    ...searched,
    results: z.array(
      z.strictObject({
        sessionId: z.string(),
        runId: z.string(),
        /** When the first line of the snippet was said, and by whom. */
        at: z.number(),
        role: z.enum(['user', 'assistant']),
        /** At most 700 characters; each message begins with `user: ` or `assistant: `. */
        snippet: z.string(),
        /** From 0 to 1; only the order is meaningful. */
        score: z.number(),
        /** `owner`: what users said; `agent`: answers; `untrusted`: answers to prompts with untrusted text in them. */
        from: author,
      }),
    ),
  }),
);
