import type { ModelDelta } from '../../protocol/content.ts';
import { loopErrors } from '../../protocol/views.ts';
import type { AssistantBody } from '../../store/stored-message.ts';

interface Partial {
  add(delta: ModelDelta): void;
}

/**
 * The text received so far of answers in flight, only in memory. When a run is cancelled, the commit of its end also
 * stores the text that its user has already read.
 */
export class PartialAnswers {
  readonly #open = new Map<string, AssistantBody>();

  open(
    runId: string,
    effectId: number,
    asked: Pick<AssistantBody, 'upTo' | 'tainted' | 'provider'>,
  ): Partial {
    const body: AssistantBody = {
      effectId,
      ...asked,
      model: '',
      text: '',
      reasoning: '',
      refusal: '',
      finishReason: null,
      finish: 'unknown',
      usage: null,
      costUsd: null,
      toolCalls: [],
      error: { code: 'MODEL_ABORTED', message: loopErrors.model_run_ended, retryable: false },
    };
    this.#open.set(runId, body);
    return {
      add(delta) {
        if (delta.type !== 'toolCall') body[delta.type] += delta.text;
      },
    };
  }

  close(runId: string): void {
    this.#open.delete(runId);
  }

  /** The partial answer of this effect, if it has any text. */
  take(runId: string, effectId: number): AssistantBody | null {
    const body = this.#open.get(runId);
    if (body?.effectId !== effectId) return null;
    return body.text === '' && body.reasoning === '' && body.refusal === '' ? null : body;
  }
}
