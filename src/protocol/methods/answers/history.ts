import * as z from 'zod/mini';
import { sideEffectClasses } from '../../../../machines/run.types.ts';
import { about, json, named, status, toOperators } from '../fields.ts';
import { message } from './conversation.ts';
import { command, outcome, pending } from './run.ts';
import { sentence, usage } from './run-values.ts';

/** What the log says of a run's past. Times are milliseconds since the epoch. */

/** A transition of the log with the messages that it wrote, as they are stored. */
export const loggedTransition = named(
  'LoggedTransition',
  z.strictObject({
    runId: z.string(),
    type: z.literal('transition'),
    seq: z.int(),
    at: z.number(),
    /** Dotted state path after it. */
    path: z.string(),
    event: toOperators('json', z.looseObject({ type: z.string() })),
    /** Of a workflow: who sent an event from outside. */
    by: z.exactOptional(toOperators('person', z.string())),
    /** Whether the run ended with it. */
    ended: z.boolean(),
    /** Messages written when the run was created belong to its first transition. */
    messages: z.array(
      toOperators('json', z.looseObject({ role: z.enum(['user', 'assistant', 'tool', 'summary']) })),
    ),
    /** Hash of the run's context after it. */
    hash: z.string(),
    /** Of a workflow: its event in the names of its chart, such as `approve done` or `after 7 days`. */
    label: z.exactOptional(z.string()),
  }),
);

/** Of a tool call: its id and its tool. Of a workflow: the id of the invocation, or the name of the action. */
const performed = {
  callId: z.exactOptional(z.string()),
  tool: z.exactOptional(z.string()),
  service: z.exactOptional(z.string()),
};

const link = z.strictObject({
  seq: z.int(),
  at: z.number(),
  /** The event's type; of a workflow, in the names of its chart. */
  event: z.string(),
  from: z.string(),
  to: z.string(),
  guards: z.array(z.strictObject({ guard: z.string(), passed: z.boolean() })),
  /** The effect whose result the event brings. */
  effect: z.nullable(
    z.strictObject({
      effect: z.int(),
      name: z.string(),
      /** How often a driver started it. */
      attempts: z.int(),
      /** The transition that asked for it. */
      askedAtSeq: z.nullable(z.int()),
      arguments: z.exactOptional(z.string()),
      ...performed,
    }),
  ),
  /** Of a workflow: who sent an event from outside. */
  by: z.exactOptional(toOperators('person', z.string())),
  /** The event's own content, in a few words. */
  says: toOperators('text', z.string()),
});

const step = named(
  'NextStep',
  z.union([
    /** Resume the run, or look at it. */
    z.strictObject({ does: z.enum(['goOn', 'look']), runId: z.string() }),
    z.strictObject({ does: z.literal('fork'), runId: z.string(), at: z.int() }),
    /** Say this in the session of the run. */
    z.strictObject({ does: z.literal('say'), prompt: z.string() }),
    /** What is decided on is shown first. */
    z.strictObject({ does: z.enum(['decide', 'answer']), runId: z.string() }),
    /** Say something, in the session of the run. */
    z.strictObject({ does: z.literal('write') }),
    /** Send the run an event of this type. */
    z.strictObject({ does: z.literal('send'), runId: z.string(), type: z.string() }),
  ]),
);

export const why = named(
  'Why',
  toOperators(
    'told',
    z.strictObject({
      runId: z.string(),
      sessionId: z.string(),
      status,
      outcome: z.nullable(outcome),
      /** Stable, for programs: `provider_unreachable`, `max_steps`, `waiting_for_confirmation`. */
      cause: z.string(),
      /** One sentence that names the cause. */
      summary: toOperators('text', z.string()),
      /** What else is worth knowing, one line each. */
      details: z.array(toOperators('text', z.string())),
      next: z.array(
        z.strictObject({
          text: toOperators('text', z.string()),
          command: about(
            toOperators('null', z.nullable(z.string())),
            'What a person at the machine can type; null without one, and without the scope `admin`.',
          ),
          otherFlags: about(
            toOperators('null', z.nullable(z.string())),
            'What the command takes in place of its last flag.',
          ),
          step: about(z.nullable(step), 'What a client can do; null for what it cannot.'),
        }),
      ),
      /** The texts above in their order, as sentences for other languages than English. */
      sentences: z.strictObject({ summary: sentence, details: z.array(sentence), next: z.array(sentence) }),
      /** From what began the run to its last transition: each link led to the next. */
      chain: z.array(link),
      /** Why the log could not be folded; the chain then has no guards. */
      unfolded: z.nullable(z.string()),
    }),
  ),
);

const parting = z.nullable(z.strictObject({ seq: z.int(), type: z.string(), path: z.string() }));

const side = z.strictObject({
  runId: z.string(),
  status,
  outcome: z.nullable(z.string()),
  transitions: z.int(),
  steps: z.int(),
  toolCalls: z.int(),
  usage,
  /** Text of the last answer. */
  text: z.string(),
});

export const runDiff = named(
  'RunDiff',
  z.strictObject({
    /** Number of equal transitions from the beginning, not counting take-overs. */
    common: z.int(),
    /** Null when the runs are the same. */
    parting: z.nullable(
      z.strictObject({
        a: parting,
        b: parting,
        /** `a` and `b` are left out on a side that lacks the field, such as `event.verdict`. */
        differences: z.array(
          z.strictObject({
            field: z.string(),
            a: toOperators('text', z.optional(z.unknown())),
            b: toOperators('text', z.optional(z.unknown())),
          }),
        ),
      }),
    ),
    a: side,
    b: side,
  }),
);

export const runMoment = named(
  'RunMoment',
  z.strictObject({
    runId: z.string(),
    sessionId: z.string(),
    seq: z.int(),
    /** The run's last transition so far. */
    lastSeq: z.int(),
    /** Of the transition. */
    at: z.number(),
    /** Dotted state path. */
    path: z.string(),
    /** Whether the run had ended. */
    ended: z.boolean(),
    /** The context of the statechart, as it is stored: without known secrets. */
    context: toOperators('json', z.record(z.string(), json)),
    /**
     * The messages of this run up to then, behind those of the earlier runs of the session. `inPrompt` is false for those that a
     * summary had replaced by then.
     */
    messages: z.array(message),
    /** The questions to people that were open. */
    pending: z.array(pending),
    /** The effects without a result. `held` waits for a decision or its turn. */
    effects: z.array(
      z.strictObject({
        effect: z.int(),
        name: z.string(),
        status: z.enum(['held', 'open', 'uncertain']),
        ...performed,
      }),
    ),
    /** The timers that were set, soonest first. `label`: of a workflow, in the names of its chart. */
    timers: z.array(
      z.strictObject({ event: z.string(), dueAt: z.number(), label: z.exactOptional(z.string()) }),
    ),
    /** The commands that the run accepted then. */
    legal: z.array(command),
  }),
);

export const runPrompt = named(
  'RunPrompt',
  z.strictObject({
    runId: z.string(),
    /** The call has what the run had said up to this transition. */
    seq: z.int(),
    /** The transition that brought its answer, or its failure; null while there is none. */
    answeredAt: z.nullable(z.int()),
    /** `provider/model` that was called. */
    model: z.string(),
    /** Estimated, of what is rebuilt here: messages, tools and output schema. */
    tokens: z.int(),
    /** Estimated when the call was made; null if that is not stored. Where it differs, tools, skills or settings have changed since. */
    tokensThen: z.nullable(z.int()),
    /** As every provider gets them. Without known secrets, and without the bytes of files. */
    messages: z.array(
      z.strictObject({
        role: z.enum(['system', 'user', 'assistant', 'tool']),
        text: z.string(),
        reasoning: z.exactOptional(z.string()),
        toolCalls: z.exactOptional(
          z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() })),
        ),
        /** Of a result. */
        toolCallId: z.exactOptional(z.string()),
        name: z.exactOptional(z.string()),
        isError: z.exactOptional(z.literal(true)),
        /** The images and documents that went along. */
        parts: z.exactOptional(z.array(z.string())),
      }),
    ),
    tools: z.array(
      z.strictObject({ name: z.string(), description: z.string(), parameters: z.record(z.string(), json) }),
    ),
    /** The schema that the answer had to fit. */
    output: z.exactOptional(z.record(z.string(), json)),
    /** Where the next page begins, if there is more. */
    nextFrom: z.exactOptional(z.int()),
  }),
);

const openEffect = {
  effect: z.int(),
  name: z.string(),
  /**
   * `pending` starts on resume; `held` waits for a decision or its turn; `uncertain` waits for a person to say what became
   * of it in the original.
   */
  status: z.enum(['pending', 'held', 'uncertain']),
  /** Redacted. */
  arguments: z.exactOptional(z.string()),
  ...performed,
};

export const forkPreview = named(
  'ForkPreview',
  z.strictObject({
    /** The run that would be forked. */
    runId: z.string(),
    seq: z.int(),
    /** The state that the fork would begin in. */
    path: z.string(),
    /** The fork would have ended: it only continues the conversation in a session of its own. */
    ended: z.boolean(),
    /** `provider/model` of the fork; empty for a workflow. */
    model: z.string(),
    /** The effects that a resume of the fork would start, or a decision. */
    open: z.array(
      z.strictObject({
        ...openEffect,
        /** Of a model call: `provider/model`. */
        model: z.exactOptional(z.string()),
        /** Of a tool call. */
        sideEffect: z.exactOptional(z.enum(sideEffectClasses)),
        /**
         * Whether a repeat changes nothing in the world: true for model calls and `readonly` tool calls. A fork has idempotency keys
         * of its own, so its repeat of an `idempotent` call is a second one.
         */
        isSafeToRepeat: z.boolean(),
      }),
    ),
    /** The questions to people that the fork would ask again. */
    pending: z.array(pending),
    /** The messages that the fork would have, those of earlier runs of the session included. */
    messages: z.array(message),
  }),
);

export const forked = named(
  'Forked',
  z.strictObject({ runId: z.string(), sessionId: z.string(), open: z.array(z.strictObject(openEffect)) }),
);
