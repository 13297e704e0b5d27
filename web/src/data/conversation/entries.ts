import type { Answer, QuestionView, RunEventPayloads } from '#src/client/index.ts';
import type { QuestionKind } from '#src/protocol/enums.ts';

/**
 * A run as people read it: what was said and done, hung from the log. Entries and what they hold are never changed: a part of the page
 * that got the same object as before has nothing to draw.
 */
export interface RunStory {
  runId: string;
  entries: readonly Entry[];
  /** The last transition whose events were all told. */
  seq: number;
  /** The state of the chart, and the stay before the present one. */
  path: string;
  before: string | null;
  /** How often each state was entered, by the name of the stay. */
  counts: Readonly<Record<string, number>>;
  /** Calls of the newest answer, in their order. */
  calls: readonly string[];
  /** The model call whose answer streams now. */
  streaming: number | null;
  total: RunEventPayloads['usage']['total'] | null;
  model: string | null;
  startedAt: number | null;
  endedAt: number | null;
  /** It is a history from a file: it was in no states. */
  isImported: boolean;
  /** The id of its chart, if it is the run of a workflow: its states are then called as its author likes. */
  workflow: string | null;
  /** It is a takeover: whether a person of the staff has come, who, and the name that users may know. */
  takeover: { state: 'waiting' | 'taken'; by: string | null; name: string | null } | null;
}

/** What hangs from one mark of the margin: a stay in a state, or a message of a person. */
export interface Entry {
  /** Unique in the session. */
  key: string;
  runId: string;
  kind: 'user' | 'steer' | 'staff' | 'stay' | 'end';
  /** Name of the state: `thinking`, `backingOff`, `tooling`; of a workflow, its whole path. */
  stay: string;
  /** It is a state of a workflow's chart. */
  isOfChart: boolean;
  fromSeq: number;
  /** Null while the stay lasts. */
  toSeq: number | null;
  at: number;
  endedAt: number | null;
  content: readonly Content[];
  /** A whole answer came. */
  isAnswered: boolean;
  usage: RunEventPayloads['usage']['call'] | null;
}

type RunError = RunEventPayloads['lifecycle.error']['error'];
export type Attachment = NonNullable<RunEventPayloads['tool.result']['attachments']>[number];

export type Content =
  | { type: 'said'; text: string; attachments: readonly Attachment[]; job: string | null }
  /** A person of the staff said it; `name`: the one that users may know. */
  | { type: 'staff'; text: string; by: string | null; name: string | null }
  /** A person of the staff was asked for, came, or has gone. */
  | { type: 'held'; state: 'waiting' | 'taken' | 'over'; by: string | null }
  | { type: 'reasoning'; effectId: number; text: string; isWhole: boolean }
  | { type: 'text'; effectId: number; text: string; isWhole: boolean; isRefusal: boolean }
  /** Words of an answer that broke off and was asked for again. */
  | { type: 'withdrawn'; effectId: number; text: string; reasoning: string; isLogged: boolean }
  | { type: 'call'; call: ToolCall }
  /** A question to a person that was settled. */
  | ({
      type: 'decided';
      callId: string;
      name: string;
      kind: QuestionKind;
      verdict: string;
      at: number;
    } & Said)
  /** What the chart of a workflow got. */
  | ({ type: 'came' } & RunEventPayloads['workflow.event'])
  | { type: 'brokeOff'; error: RunError; isAskedAgain: boolean }
  | { type: 'flush'; how: string; lines: number; error: RunError | null }
  | { type: 'compaction'; summary: string | null; error: RunError | null }
  | {
      type: 'ended';
      status: string;
      outcome: string;
      error: RunError | null;
      /** The last answer, and what all of them cost. */
      text: string;
      total: RunStory['total'];
      ms: number | null;
    };

interface Said {
  reason?: string;
  /** Who decided. */
  by?: string;
  question?: QuestionView;
  answer?: Answer;
}

export type CallStatus =
  | 'asked'
  | 'queued'
  | 'running'
  | 'done'
  | 'failed'
  | 'rejected'
  | 'withdrawn'
  | 'cancelled'
  | 'uncertain';

/** A call of a tool. */
export interface ToolCall {
  runId: string;
  callId: string;
  name: string;
  /** As the model wrote them. */
  arguments: string;
  status: CallStatus;
  /** What policy made of it, and by which rule. */
  decision: 'run' | 'ask' | 'refuse';
  why: string | null;
  asked: { kind: QuestionKind; at: number; question?: QuestionView; preview?: string } | null;
  /** What a person decided, and when. */
  verdict: { verdict: string; at: number; reason?: string; by?: string } | null;
  startedAt: number | null;
  endedAt: number | null;
  result: {
    content: string;
    isError: boolean;
    code: string | null;
    attachments: readonly Attachment[];
    /** The hook that changed the arguments, and the new ones. */
    changed?: { by: string; arguments: string };
  } | null;
  /** Where the whole output is when the result is a preview of it. */
  artifact: string | null;
  /** The run that does its work. */
  subRun: string | null;
  skill: string | null;
  todo: RunEventPayloads['todo.updated']['items'] | null;
}

/** Whether there will be no more news of a call. */
export function isSettled({ status }: ToolCall): boolean {
  return !['asked', 'queued', 'running', 'uncertain'].includes(status);
}

/** The name of a stay: `thinking` of `active.working.thinking.requesting`; waiting to ask a model again is a stay of its own. */
export function stayOf(path: string): string {
  const names = path.split('.');
  if (names.includes('backingOff')) return 'backingOff';
  // Also of a run of one call, whose states are not nested.
  if (names.includes('executing')) return 'tooling';
  return names.find((name) => name !== 'active' && name !== 'working') ?? path;
}

/** The stay that the run is in. */
export function stayNow({ workflow, path }: RunStory): string {
  return workflow === null ? stayOf(path) : shownStates(path);
}

/** Parallel states stand side by side, and may be broken between. */
export function shownStates(path: string): string {
  return path.replaceAll('|', ' | ');
}

export function emptyStory(runId: string): RunStory {
  return {
    runId,
    entries: [],
    seq: 0,
    path: 'idle',
    before: null,
    counts: {},
    calls: [],
    streaming: null,
    total: null,
    model: null,
    startedAt: null,
    endedAt: null,
    isImported: false,
    workflow: null,
    takeover: null,
  };
}
