import { type Answer, ClientError } from '../client/index.ts';
import { newId } from '../client/reading.ts';
import type { Backend, Decided, Decision, SdkStart, Thumb } from './backend.ts';
import type { Toolkit } from './toolkit.ts';
import {
  AnswerMessage,
  type ConfirmRequest,
  ContentPartMessage,
  ContentReset,
  messageOf,
  type QuestionAsked,
  RunEnd,
  TakeoverChanged,
  ToolRequest,
  ToolResultMessage,
  type WireMessage,
} from './wire.ts';

/** The agent of the backend that an engine talks to. The backend configures everything else. */
export interface Agent {
  /** Default: the default agent. */
  name?: string;
  /** What `engine.model` returns: a name of the app's choice. */
  model?: string;
  /** Restricts the tools of the agent that its runs may use. It does not restrict tools of the app. */
  tools?: readonly string[];
}

/** A part of what the user says: a text, or the id of an upload. */
export type ContentPart = { text: string } | { attachmentId: string };

/** Is called once, when a run has ended. */
export interface EngineCallback {
  onComplete(): void;
  /** @param error has a `code`: that of the run, `CANCELLED`, or `CLOSED` when the engine was shut down */
  onError(error: unknown): void;
}

/** Receives the messages of one run, and how it ended. */
export interface StreamCallback<T> extends EngineCallback {
  onNext(chunk: T): void;
}

/** Receives the messages of all runs of a conversation, each once and in order. */
export interface WireListener {
  onMessage(message: WireMessage): void;
}

interface EngineParts {
  backend: Backend;
  agent: Agent;
  sessionId: string;
  toolkit: Toolkit;
  /** Receives what a listener, a callback or a tool throws. */
  report(error: unknown): void;
  /** The engines of its client. An engine removes itself when it ends. */
  engines: Set<Engine>;
}

/** One conversation with an agent. */
export class Engine {
  readonly sessionId: string;
  /** Of the agent; empty for the default one. */
  readonly name: string;
  readonly model: string;
  readonly #parts: EngineParts;
  readonly #listeners = new Set<WireListener>();
  readonly #callbacks = new Map<string, StreamCallback<WireMessage>[]>();
  readonly #watched = new Set<string>();
  /** How the runs ended that were watched: null for an answer. */
  readonly #ended = new Map<string, { error: unknown }>();
  /** Starts go one after the other, so that runs begin in the order of the calls. */
  #starting: Promise<unknown> = Promise.resolve();
  #isShutDown = false;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.sessionId = parts.sessionId;
    this.name = parts.agent.name ?? '';
    this.model = parts.agent.model ?? '';
  }

  /**
   * Sends a message to the agent.
   *
   * @param key a key of your choice: repeated calls with it send the message once
   * @returns the key
   */
  run(userInput: string | readonly ContentPart[], callback: EngineCallback, key?: string): string {
    const { onComplete, onError } = bound(callback);
    return this.stream(userInput, { onNext() {}, onComplete, onError }, key);
  }

  /** Does the same, and passes the messages of this run to the callback. */
  stream(
    userInput: string | readonly ContentPart[],
    callback: StreamCallback<WireMessage>,
    key: string = newId(),
  ): string {
    this.#starting = this.#starting.then(() => this.#start(userInput, key, callback));
    return key;
  }

  /** The listener receives the messages of the whole conversation from now on, including those of the staff. */
  addWireListener(listener: WireListener): void {
    this.#listeners.add(listener);
  }

  removeWireListener(listener: WireListener): void {
    this.#listeners.delete(listener);
  }

  /** Makes later answers forget what was said so far. */
  async clearHistory(): Promise<void> {
    await this.#starting;
    await this.#parts.backend.clear(this.sessionId);
  }

  /** Decides on a call. @throws an error with the code `HASH_MISMATCH` or `DECIDED_BEFORE`, among others */
  async confirm({ runId, toolCallId, hash }: ConfirmRequest, decision: Decision): Promise<void> {
    standing(await this.#parts.backend.confirm(runId, toolCallId, { ...decision, hash }));
  }

  /** @param answer a text, the options chosen, or the fields of a form; null closes the question unanswered */
  async answer({ runId, toolCallId, hash }: QuestionAsked, answer: Answer | null): Promise<void> {
    standing(await this.#parts.backend.answer(runId, toolCallId, answer ?? undefined, hash));
  }

  /** Adds a message to a run. The next model call includes it. */
  async steer(runId: string, message: string): Promise<void> {
    await this.#parts.backend.steer(runId, message);
  }

  async cancel(runId: string, reason?: string): Promise<void> {
    await this.#parts.backend.cancel(runId, reason);
  }

  /** Stores how the user rates the last answer of a run. */
  async rate(runId: string, thumb: Thumb, reason?: string): Promise<void> {
    const words = reason === undefined ? {} : { reason };
    await this.#parts.backend.rate(this.sessionId, { runId, thumb, ...words });
  }

  /** Stops listening. Runs continue. */
  shutdown(): void {
    if (this.#isShutDown) return;
    this.#isShutDown = true;
    this.#listeners.clear();
    for (const runId of [...this.#callbacks.keys()]) this.#settle(runId, closed());
    this.#parts.engines.delete(this);
  }

  async #start(
    userInput: string | readonly ContentPart[],
    key: string,
    callback: StreamCallback<WireMessage>,
  ): Promise<void> {
    try {
      if (this.#isShutDown) throw closed();
      const { backend, toolkit } = this.#parts;
      const { runId } = await backend.start({ ...this.#asked(userInput, key), ...toolkit.declared() });
      if (this.#isShutDown) throw closed();
      this.#callbacks.set(runId, [...(this.#callbacks.get(runId) ?? []), callback]);
      // A repeated key may name a run that has ended already.
      const ended = this.#ended.get(runId);
      if (ended) this.#settle(runId, ended.error);
      else void this.#watch(runId);
    } catch (error) {
      this.#call(() => callback.onError(error));
    }
  }

  #asked(userInput: string | readonly ContentPart[], idempotencyKey: string): SdkStart {
    const parts = typeof userInput === 'string' ? [{ text: userInput }] : userInput;
    const attachments = parts.flatMap((part) => ('attachmentId' in part ? { id: part.attachmentId } : []));
    const { name, tools } = this.#parts.agent;
    return {
      prompt: parts.flatMap((part) => ('text' in part ? part.text : [])).join('\n'),
      sessionId: this.sessionId,
      idempotencyKey,
      ...(name !== undefined && { agent: name }),
      ...(tools !== undefined && { tools: [...tools] }),
      ...(attachments.length > 0 && { attachments }),
    };
  }

  async #watch(runId: string): Promise<void> {
    if (this.#watched.has(runId)) return;
    this.#watched.add(runId);
    let mayGoOn = false;
    const inPieces = new Set<number>();
    try {
      for await (const event of this.#parts.backend.watch(runId)) {
        if (this.#isShutDown) return;
        const message = messageOf(event);
        if (message instanceof ToolResultMessage) mayGoOn = true;
        if (message instanceof TakeoverChanged) {
          if (message.takeoverRunId !== runId) void this.#watch(message.takeoverRunId);
          else mayGoOn = true;
        }
        if (message instanceof ContentPartMessage) inPieces.add(message.effectId);
        else if (message instanceof ContentReset) inPieces.delete(message.effectId);
        else if (message instanceof AnswerMessage && !inPieces.has(message.effectId))
          for (const piece of piecesOf(message)) this.#tell(piece);
        this.#tell(message);
        // What the app did not start follows before the end of this run is told, as in the log of the conversation.
        if (message instanceof RunEnd) {
          if (mayGoOn) await this.#follow(runId);
          this.#settle(runId, errorOf(message));
        }
      }
    } catch (error) {
      this.#settle(runId, error);
    }
  }

  /** The conversation may continue in runs that the app did not start: those of a person whom a tool requested, or of the agent afterwards. */
  async #follow(runId: string): Promise<void> {
    await this.#starting;
    const all = await this.#parts.backend.runs(this.sessionId).catch(() => []);
    const at = all.findIndex((run) => run.runId === runId);
    for (const run of all.slice(0, Math.max(at, 0)).reverse()) void this.#watch(run.runId);
  }

  #tell(message: WireMessage): void {
    if (message instanceof ToolRequest) void this.#parts.toolkit.perform(message);
    for (const listener of [...this.#listeners]) this.#call(() => listener.onMessage(message));
    for (const callback of this.#callbacks.get(message.runId) ?? [])
      this.#call(() => callback.onNext(message));
  }

  #settle(runId: string, error: unknown): void {
    const callbacks = this.#callbacks.get(runId) ?? [];
    this.#ended.set(runId, { error });
    this.#callbacks.delete(runId);
    for (const callback of callbacks)
      this.#call(() => (error === null ? callback.onComplete() : callback.onError(error)));
  }

  #call(given: () => void): void {
    try {
      given();
    } catch (error) {
      this.#parts.report(error);
    }
  }
}

/** Turns an answer without pieces into pieces: apps append pieces, whether or not the model streams. */
function piecesOf({ runId, effectId, payload, content, refusal }: AnswerMessage): WireMessage[] {
  const common = { effectId, attempt: 1, offset: 0 };
  const reasoning = String(payload.reasoning ?? '');
  return [
    ...(reasoning === ''
      ? []
      : [{ event: 'assistant.reasoning', runId, payload: { ...common, content: reasoning } } as const]),
    ...(['text', 'refusal'] as const).flatMap((contentType) => {
      const words = contentType === 'text' ? content : refusal;
      if (words === '') return [];
      return {
        event: 'assistant.delta',
        runId,
        payload: { ...common, content: words, contentType },
      } as const;
    }),
  ].map(messageOf);
}

function bound(callback: EngineCallback): EngineCallback {
  return {
    onComplete: () => callback.onComplete(),
    onError: (error) => callback.onError(error),
  };
}

function standing({ stands, verdict }: Decided): void {
  if (!stands) throw new ClientError('DECIDED_BEFORE', `another decision came first: ${verdict}`);
}

function closed(): ClientError {
  return new ClientError('CLOSED', 'the engine was shut down: create another one');
}

function errorOf({ status, errorCode, error }: RunEnd): ClientError | null {
  if (status === 'done') return null;
  if (status === 'cancelled') return new ClientError('CANCELLED', 'the run was cancelled');
  return new ClientError(errorCode, error);
}
