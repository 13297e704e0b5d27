import type { RunDelta, RunEvent, RunView } from '../../index.ts';
import type { OpenAiError } from './error.ts';
import { failed } from './follow-run.ts';
import { SaidSoFar } from './said-so-far.ts';
import type { SseBody } from './sse-body.ts';

/** What all pieces of one completion share. */
interface Head {
  id: string;
  created: number;
  model: string;
}

export function headOf(runId: string, model: string): Head {
  return { id: runId, created: Math.floor(Date.now() / 1000), model };
}

/** A run that has ended, as a completion. @throws DetentError `RUN_FAILED`. */
export function completionOf(head: Head, view: RunView) {
  const message = { role: 'assistant' as const, ...answerOf(view) };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(view) };
  return { ...head, object: 'chat.completion' as const, choices: [choice], usage: usageOf(view) };
}

/** @throws DetentError `RUN_FAILED`. */
function answerOf(view: RunView): { content: string | null; refusal: string | null } {
  const refusal = view.steps.at(-1)?.refusal ?? '';
  finishOf(view);
  return { content: refusal !== '' && view.text === '' ? null : view.text, refusal: refusal || null };
}

/** @throws DetentError `RUN_FAILED` for a run whose last words are no answer. */
export function finishOf(view: RunView): 'stop' | 'length' | 'content_filter' {
  const { outcome } = view;
  if (outcome === 'completed' || outcome === 'completed_degraded' || outcome === 'refused') return 'stop';
  if (outcome === 'truncated') return 'length';
  if (outcome === 'content_filtered') return 'content_filter';
  throw failed(view);
}

export function usageOf({ usage }: RunView) {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

/** A completion as it streams. */
export class ChatStream {
  readonly #body: SseBody;
  readonly #head: Head;
  readonly #withUsage: boolean;
  readonly #said: SaidSoFar;
  #hasSaid = false;

  /** @param isWhole whether the answer is sent in one piece: with a schema, what does not fit is said again. */
  constructor(body: SseBody, head: Head, options: { withUsage: boolean; isWhole: boolean }) {
    this.#body = body;
    this.#head = head;
    this.#withUsage = options.withUsage;
    this.#said = new SaidSoFar(({ kind, isNew, text }) => {
      if (options.isWhole) return;
      // What the agent says between its tool calls is part of the stream.
      this.#delta(kind, isNew && this.#hasSaid ? `\n\n${text}` : text);
      this.#hasSaid = true;
    });
    this.#chunk({ role: 'assistant', content: '' }, null);
  }

  take(event: RunEvent | RunDelta): void {
    this.#said.take(event);
  }

  /** @throws DetentError `RUN_FAILED`. */
  end(view: RunView): void {
    const finish = finishOf(view);
    const { content, refusal } = answerOf(view);
    if (!this.#hasSaid && content) this.#delta('text', content);
    if (!this.#hasSaid && refusal) this.#delta('refusal', refusal);
    this.#chunk({}, finish);
    if (this.#withUsage) this.#send({ choices: [], usage: usageOf(view) });
    this.#done();
  }

  fail(error: OpenAiError): void {
    this.#body.send({ error });
    this.#done();
  }

  #done(): void {
    this.#body.send('[DONE]');
    this.#body.close();
  }

  #delta(kind: 'text' | 'refusal', text: string): void {
    this.#chunk(kind === 'text' ? { content: text } : { refusal: text }, null);
  }

  #chunk(delta: object, finish: string | null): void {
    this.#send({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  }

  #send(rest: object): void {
    const usage = this.#withUsage ? { usage: null } : {};
    this.#body.send({ ...this.#head, object: 'chat.completion.chunk', ...usage, ...rest });
  }
}
