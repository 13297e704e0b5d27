import * as z from 'zod/mini';
import { deciders, modelApis, outcomes, questionKinds, skillPlaces } from '../../enums.ts';
import { about, anyJson, json, jsonObject, named, status, toOperators, toReaders } from '../fields.ts';
import { answer, question, reason, runError, storedPart, todoItem, usage } from './run-values.ts';

/** A run as people and programs see it; the types of `run-view.ts` are taken from these schemas. */

/** Null when tokens were used and no price is known. */
const costUsd = z.nullable(z.number());

export const outcome = named('Outcome', z.enum(outcomes));

/** A run that another run's call of `task` started. */
export const subRun = z.strictObject({
  runId: z.string(),
  status,
  outcome: z.nullable(outcome),
  /** With that of its own sub-runs; it counts towards the limits of the run that started it. */
  usage: toReaders(z.strictObject({ inputTokens: z.number(), outputTokens: z.number(), costUsd })),
});

export const call = named(
  'ToolCall',
  z.strictObject({
    /** The provider's id. */
    id: z.string(),
    /** Ours, unique in the run: `c7`. */
    callId: z.string(),
    name: z.string(),
    /** As the model wrote it. */
    argumentsRaw: z.string(),
    /** What is (or would be) executed, parsed; null when it is not JSON. */
    arguments: z.unknown(),
    /** The hook of the program that changed the arguments. */
    changedBy: z.exactOptional(z.string()),
    status: z.enum(['done', 'failed', 'rejected', 'skipped', 'cancelled', 'pending', 'uncertain']),
    /**
     * What a person decided: `approve`, `reject`, `modify`, `answer`, `expired`, `withdrawn`; `result` of a call that the
     * caller of the run performed; null if the call needed no decision.
     */
    decision: z.nullable(z.string()),
    /** What a person answered to a question; a list where several options could be chosen. */
    answer: z.exactOptional(answer),
    /** The run that does this call's work; its own view has the details. */
    subRun: z.exactOptional(subRun),
    /** The result that the model got; null while there is none. */
    result: z.nullable(z.string()),
    /** Images and documents that it was shown with that; left out when there are none. */
    attachments: z.exactOptional(z.array(storedPart)),
    isError: z.boolean(),
    code: z.nullable(z.string()),
    /** The rule by which it ran, was asked about or refused, and those that it beat; left out where none was asked. */
    why: z.exactOptional(toOperators('rule', z.string())),
    reason,
    /** A workflow asks, in the words of `why`. */
    asIs: z.exactOptional(z.literal(true)),
  }),
);

/** One model answer. */
export const step = named(
  'Step',
  z.strictObject({
    model: toReaders(z.string()),
    text: z.string(),
    reasoning: toReaders(z.string()),
    refusal: z.string(),
    /** The provider's own word. */
    finishReason: z.nullable(z.string()),
    usage: toReaders(z.nullable(usage)),
    /** The answer comes from the cache: no provider was called, and it cost nothing. */
    cached: z.exactOptional(z.literal(true)),
    error: z.nullable(runError),
    toolCalls: z.array(call),
    /** Why this answer does not fit the run's output schema, a line each; left out when it fits, or there is none. */
    unfit: z.exactOptional(z.string()),
  }),
);

/** A model that failed, and the next one of the run's list, which was called instead. */
export const modelSwitch = z.strictObject({
  /** The transition. */
  seq: z.int(),
  from: z.string(),
  to: z.string(),
  error: runError,
});

/** A broken-off answer whose call was made again. Its words are in no prompt, and its tool calls never ran. */
export const withdrawn = named(
  'WithdrawnAnswer',
  z.strictObject({
    /** The transition that withdrew it. */
    seq: z.int(),
    model: z.string(),
    text: z.string(),
    reasoning: z.string(),
    refusal: z.string(),
    usage: z.nullable(usage),
    /** What had come of its tool calls. */
    calls: z.array(z.strictObject({ name: z.string(), argumentsRaw: z.string() })),
    error: z.nullable(runError),
  }),
);

/** What a run waits for: an open question to a person, or, of kind `client`, the result of a call that its caller performs. */
export const pending = named(
  'Pending',
  z.strictObject({
    /** The run below that asks, where a workflow shows what its runs ask; left out when the run itself asks. */
    runId: z.exactOptional(z.string()),
    kind: z.enum(questionKinds),
    callId: z.string(),
    name: z.string(),
    arguments: z.unknown(),
    argumentsHash: z.string(),
    why: toOperators('rule', z.string()),
    reason,
    /** What the call would do, in the tool's own words: a unified diff of the file. Known secrets are taken out. */
    preview: z.exactOptional(z.string()),
    /** Of kind `question`: what is to be answered. */
    question: z.exactOptional(question),
    /** Of kind `confirm`: a workflow asks, in the words of `why`, and the call is approved or rejected as it is. */
    asIs: z.exactOptional(z.literal(true)),
    decides: about(
      z.exactOptional(z.enum(deciders)),
      'Who decides: the user of the run, or someone else who may approve. Left out: anyone who may approve.',
    ),
    heldUntil: about(
      z.exactOptional(z.number()),
      'Of kind `client`: an installation of the app performs the call, until then at most (milliseconds since the epoch).',
    ),
  }),
);

/** A result that brought untrusted text into the conversation. */
export const taint = z.strictObject({
  tool: z.string(),
  /** `c7`; null when it is not known. */
  call: z.nullable(z.string()),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** It came in an earlier run of the session. */
  earlier: z.exactOptional(z.literal(true)),
});

/** A skill that a run follows, and why. */
export const followedSkill = named(
  'FollowedSkill',
  z.strictObject({
    name: z.string(),
    /**
     * A person named it in the prompt, a call of the model loaded it, or the run that this one is a part of follows it.
     */
    by: z.enum(['prompt', 'call', 'parent']),
    /** That call, `c7`, and the transition that it ended with. */
    call: z.exactOptional(z.string()),
    seq: z.exactOptional(z.int()),
    from: z.enum(skillPlaces),
    /** SHA-256 of its files at that time; null if they could not be read. */
    hash: z.nullable(z.string()),
    /** Whether it is trusted, and so may skip confirmations. */
    isTrusted: z.boolean(),
    /** The only calls that it allows, as `shell (git:*)`; null if it restricts none. */
    allowed: z.nullable(z.array(z.string())),
    /** The calls for which it requires a confirmation; null if it does not say. */
    confirm: z.nullable(z.array(z.string())),
    /** How well it fitted the prompt; left out when it was not among the best. */
    score: z.exactOptional(z.number()),
  }),
);

/** The skills of a run. */
export const skills = z.strictObject({
  /** How many it could choose from. */
  offered: z.int(),
  /** Whether all of them were shown to the model, or the best alone. */
  mode: z.enum(['listed', 'ranked']),
  /** Those that fit the prompt by their words, best first. */
  scores: z.array(z.strictObject({ name: z.string(), score: z.number() })),
  followed: z.array(followedSkill),
});

export const run = z.strictObject({
  runId: z.string(),
  sessionId: z.string(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  /** Left out until it has ended. */
  endedAt: z.exactOptional(z.number()),
  /** The run whose conversation it goes on with, and words about it, as its request said. */
  after: z.exactOptional(z.string()),
  metadata: z.exactOptional(z.record(z.string(), z.string())),
  /** The JSON Schema that the last answer must fit; left out without one. */
  outputSchema: z.exactOptional(jsonObject),
  /** The named agent; left out for the default one. */
  agent: z.exactOptional(z.string()),
  /**
   * The address that its request named for its model; left out when it named none. Another process needs it named again
   * to resume the run.
   */
  endpoint: toOperators(
    'hidden',
    z.exactOptional(
      z.strictObject({
        baseUrl: z.exactOptional(z.string()),
        apiKeyEnv: z.exactOptional(z.string()),
        api: z.exactOptional(z.enum(modelApis)),
      }),
    ),
  ),
  /** The run whose call started this one, for a sub-run. */
  parentRunId: z.exactOptional(z.string()),
  /** That call: `c7`. */
  parentCall: z.exactOptional(z.string()),
  status,
  /** The sub-run (of a sub-run) that asks a person, when this run waits for nothing else. */
  waitsFor: z.exactOptional(z.string()),
  /** When the run goes on without the person that it waits for: milliseconds since the epoch. Left out when it waits for none. */
  waitsUntil: z.exactOptional(z.number()),
  /** Null until the run has ended. */
  outcome: z.nullable(outcome),
  /** What came with the user's messages; left out when nothing did. */
  attachments: z.exactOptional(z.array(storedPart)),
  text: about(z.string(), 'Of the last answer.'),
  /** The JSON of the last answer, if the run has an output schema and completed; left out otherwise. */
  output: z.exactOptional(z.unknown()),
  usage: toReaders(usage),
  /** Dotted state paths, in the order they were passed through. */
  states: z.array(z.string()),
  steps: z.array(step),
  /** The one call of a run that makes no other, and asks no model; left out by all other runs. */
  call: z.exactOptional(call),
  /** Names of the tools that its caller performs; left out when there are none. */
  clientTools: z.exactOptional(z.array(z.string())),
  /** `one`: an answer may have one call of them; left out without that. */
  clientCalls: z.exactOptional(z.literal('one')),
  /** In the order in which they happened; left out when there are none. */
  switches: toReaders(z.exactOptional(z.array(modelSwitch))),
  /** In the order in which they happened; left out when there are none. */
  withdrawn: toReaders(z.exactOptional(z.array(withdrawn))),
  /** The first untrusted result of each tool that its newest answer had before it; left out when there are none. */
  tainted: toReaders(z.exactOptional(z.array(taint))),
  /** Left out when it follows none and none fitted its prompt. */
  skills: toReaders(z.exactOptional(skills)),
  /** The list that the agent last wrote with `todo`; left out when it wrote none. */
  todo: z.exactOptional(z.array(todoItem)),
  pending: z.array(pending),
  error: z.nullable(runError),
});

/** An invocation or a named action of a chart. */
export const service = z.strictObject({
  /** The invocation's id; of an action, its name. */
  id: z.string(),
  /** Its name in `setup({ actors })`. */
  src: z.string(),
  kind: z.enum(['service', 'action']),
  /** The number of its effect, and as people write it: `c3`. */
  effect: z.int(),
  callId: z.string(),
  /** From 1. */
  attempt: z.int(),
  /** `uncertain`: its process ended, and a person must say whether it ran. `retrying`: it failed, and begins again later. */
  status: z.enum(['open', 'uncertain', 'retrying']),
  /** When it begins again: milliseconds since the epoch. */
  retryAt: z.exactOptional(z.number()),
  /** The run that performs it; left out for a step, and for a run that has not begun. */
  run: z.exactOptional(
    z.strictObject({
      runId: z.string(),
      status,
      outcome: z.nullable(outcome),
      waitsFor: z.exactOptional(z.string()),
    }),
  ),
});

export const flowTimer = z.strictObject({
  /** As people read it: `after 7 days`, `after patience`, `retry of assess`. */
  name: z.string(),
  /** The event that it sends. */
  event: z.string(),
  /** Milliseconds since the epoch. */
  dueAt: z.number(),
});

/** What the run of a workflow has that no run of an agent has. */
export const flow = named(
  'WorkflowOfRun',
  z.strictObject({
    /** Of its chart. */
    id: z.string(),
    version: z.int(),
    /** The state of the chart, as XState has it; `(queued)`, `(cancelled)` or `(failed)` outside of the chart. A run whose chart or action threw keeps the chart's. */
    state: json,
    /** The chart's own context; null before it has started. */
    context: toReaders(anyJson()),
    input: json,
    /** The chart's own; left out until it has ended, and when it has none. */
    output: z.exactOptional(json),
    /** Invocations and named actions that have not ended, in the order in which they began. */
    services: toReaders(z.array(service)),
    /** What it waits for on the clock, soonest first. */
    timers: toReaders(z.array(flowTimer)),
    /** What the runs of its services have spent together so far. */
    spent: toReaders(z.strictObject({ tokens: z.number(), costUsd })),
  }),
);

/** A command that a run accepts. */
export const command = named(
  'Command',
  z.strictObject({
    type: z.string(),
    callId: z.exactOptional(z.string()),
    verdict: z.exactOptional(z.string()),
    guard: about(
      z.exactOptional(z.string()),
      'Of an event of a workflow that the chart takes only if this guard says yes to its payload: without one it says no.',
    ),
    data: about(
      z.exactOptional(z.string()),
      'The fields that an event must bring, as JSON with words in capitals for the values: `{"amount":NUMBER}`.',
    ),
  }),
);

const shownRun = {
  ...run.shape,
  /** Of the run of a workflow. */
  workflow: z.exactOptional(flow),
  allowed: about(
    z.array(command),
    'The commands that are legal now and that the caller may give, for the buttons of a page.',
  ),
};

/** A run as the gateway shows it. */
export const clientRun = named('Run', z.strictObject(shownRun));

export const waitedRun = named(
  'WaitedRun',
  z.strictObject({
    ...shownRun,
    isSettled: about(
      z.boolean(),
      'Whether it has ended or cannot go on without a person; false when the time was up.',
    ),
  }),
);
