import type { ClientEvent } from '../client/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * One event of a run. An event that the SDK knows has its own class. An event of a newer gateway is a plain `WireMessage` with its
 * `type` and `payload`.
 */
export class WireMessage {
  /** The name of the event, such as `tool.call`. */
  readonly type: string;
  readonly runId: string;
  /** The transition of the run; 0 for pieces of an answer, which are not stored. */
  readonly seq: number;
  /** The place among the events of the transition. */
  readonly index: number;
  /** Milliseconds since the epoch; 0 for pieces of an answer. */
  readonly at: number;
  readonly payload: Fields;

  constructor(event: ClientEvent) {
    const { seq, index, at } = 'seq' in event ? event : { seq: 0, index: 0, at: 0 };
    this.type = event.event;
    this.runId = event.runId;
    this.seq = seq;
    this.index = index;
    this.at = at;
    this.payload = event.payload;
  }

  protected text(name: string): string {
    const value = this.payload[name];
    return typeof value === 'string' ? value : '';
  }

  protected whole(name: string): number {
    return Number(this.payload[name] ?? 0);
  }

  protected is(name: string): boolean {
    return this.payload[name] === true;
  }

  protected fields(name: string): Fields {
    return Object(this.payload[name] ?? {});
  }
}

/** A model call begins. */
export class StepBegin extends WireMessage {
  /** From 1. */
  get stepNo(): number {
    return this.whole('stepNo');
  }

  get isSubagent(): boolean {
    return this.is('isSubagent');
  }

  get agentName(): string {
    return this.text('agentName');
  }
}

/** A piece of an answer. All pieces add up to the answer; a {@link ContentReset} withdraws them. */
export class ContentPartMessage extends WireMessage {
  get content(): string {
    return this.text('content');
  }

  /** `text`, `refusal` or `reasoning`. */
  get contentType(): string {
    return this.type === 'assistant.reasoning' ? 'reasoning' : this.text('contentType');
  }

  /** The model call: pieces of one answer have the same. */
  get effectId(): number {
    return this.whole('effectId');
  }
}

/** Withdraws all pieces of an answer, because Detent repeats the model call. */
export class ContentReset extends WireMessage {
  get effectId(): number {
    return this.whole('effectId');
  }
}

/** A whole answer of the model. It replaces the pieces. */
export class AnswerMessage extends WireMessage {
  get content(): string {
    return this.text('content');
  }

  get refusal(): string {
    return this.text('refusal');
  }

  get effectId(): number {
    return this.whole('effectId');
  }
}

/** What the user said: the prompt of the run, or a message while it ran. */
export class UserMessage extends WireMessage {
  get content(): string {
    return this.text('content');
  }
}

/** A message of a person of the staff, who speaks instead of the agent. */
export class StaffMessage extends WireMessage {
  get content(): string {
    return this.text('content');
  }

  /** The name that users may know; empty if the shop gives none. */
  get author(): string {
    return this.text('name');
  }
}

/** A person of the staff was requested, has taken the conversation over, or has given it back to the agent. */
export class TakeoverChanged extends WireMessage {
  /** `waiting` for a person, `taken` by one, or `over`. */
  get state(): string {
    return this.text('state');
  }

  /** The run that has the words of the person. */
  get takeoverRunId(): string {
    return this.text('runId');
  }
}

class OfCall extends WireMessage {
  get toolCallId(): string {
    return this.text('callId');
  }

  get toolName(): string {
    return this.text('name');
  }

  /** JSON, as the model wrote it. */
  get arguments(): string {
    return this.text('arguments');
  }

  /** A decision carries it, so that the decision applies only to what this person saw. */
  get hash(): string {
    return this.text('argumentsHash');
  }
}

/** The model calls a tool. */
export class ToolCallMessage extends OfCall {}

/** The model calls a tool of the app. The SDK performs the tool if the app registered it. */
export class ToolRequest extends OfCall {}

/** A person must decide on a call: show it, and pass the decision to `engine.confirm`. */
export class ConfirmRequest extends OfCall {
  /** What the call would change, for people; empty if the tool has none. */
  get preview(): string {
    return this.text('preview');
  }

  /** `user` or `staff`: who decides. Empty if anyone who may approve decides. */
  get decides(): string {
    return this.text('decides');
  }

  /** `confirm`, or `reconcile`, which asks whether a call took effect that a crash interrupted. */
  get kind(): string {
    return this.text('kind');
  }
}

/** The agent asks the user a question: pass the answer to `engine.answer`. */
export class QuestionAsked extends OfCall {
  get question(): string {
    return String(this.fields('question').text ?? '');
  }

  /** The options; empty if the user answers in their own words. */
  get options(): readonly string[] {
    const { options } = this.fields('question');
    return Array.isArray(options) ? options.map(String) : [];
  }

  get isMultiple(): boolean {
    return this.fields('question').multiple === true;
  }

  /** The fields of a form: `name`, `type`, `title`, `options` and more; empty if the question is not a form. */
  get fieldsOfForm(): readonly Fields[] {
    const { fields } = this.fields('question');
    return Array.isArray(fields) ? fields : [];
  }
}

/** Someone decided on a call or answered a question, here or elsewhere: close the dialog about it. */
export class Resolved extends OfCall {
  get verdict(): string {
    return this.text('verdict');
  }

  /** Who decided, if the app is allowed to know. */
  get by(): string {
    return this.text('by');
  }
}

/** The result of a tool. */
export class ToolResultMessage extends OfCall {
  get isError(): boolean {
    return this.is('isError');
  }

  /** What the model reads. */
  get result(): string {
    return this.text('content');
  }

  /** The data that the tool returned for screens. */
  get data(): Fields {
    return this.fields('data');
  }
}

/** An answer was cut off. */
export class StepInterrupted extends WireMessage {
  get stepNo(): number {
    return this.whole('stepNo');
  }

  get isAskedAgain(): boolean {
    return this.is('isAskedAgain');
  }

  /** A sentence that the app may show. */
  get error(): string {
    return String(this.fields('error').message ?? '');
  }
}

/** What the run has used so far. Empty for customers, who may not see it. */
export class TokenUsageMessage extends WireMessage {
  get usage(): Fields {
    return this.fields('total');
  }
}

/** The run has ended. */
export class RunEnd extends WireMessage {
  /** `done`, `failed` or `cancelled`. */
  get status(): string {
    return this.text('status');
  }

  /** The last answer. */
  get content(): string {
    return this.text('content');
  }

  /** Empty if it did not fail. */
  get errorCode(): string {
    return String(this.fields('error').code ?? '');
  }

  get error(): string {
    return String(this.fields('error').message ?? '');
  }
}

const classes = new Map<string, new (event: ClientEvent) => WireMessage>([
  ['step.begin', StepBegin],
  ['assistant.delta', ContentPartMessage],
  ['assistant.reasoning', ContentPartMessage],
  ['assistant.reset', ContentReset],
  ['assistant.message', AnswerMessage],
  ['user.message', UserMessage],
  ['staff.message', StaffMessage],
  ['takeover.changed', TakeoverChanged],
  ['tool.call', ToolCallMessage],
  ['tool.result', ToolResultMessage],
  ['step.interrupted', StepInterrupted],
  ['usage', TokenUsageMessage],
  ['tool.confirm_request', ConfirmRequest],
  ['question.asked', QuestionAsked],
  ['tool.client_request', ToolRequest],
  ['tool.confirm_resolved', Resolved],
  ['tool.client_resolved', Resolved],
  ['question.answered', Resolved],
  ['lifecycle.end', RunEnd],
  ['lifecycle.error', RunEnd],
]);

/** Returns the message of an event, in its own class if there is one. */
export function messageOf(event: ClientEvent): WireMessage {
  return new (classes.get(event.event) ?? WireMessage)(event);
}
