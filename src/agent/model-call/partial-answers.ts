import type { ModelDelta } from '../../protocol/answer.ts';
import type { AssistantBody } from '../../records/messages.ts';

interface Partial {
  add(delta: ModelDelta): void;
}

/**
 * What has arrived of the answers that are being made, in memory alone: when a run is cut short, the words that its
 * user has already read are written down with the ending.
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
      error: { code: 'MODEL_ABORTED', message: 'the run ended before the answer did', retryable: false },
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

  /** What there is of the answer of this effect, if it has any words. */
  take(runId: string, effectId: number): AssistantBody | null {
    const body = this.#open.get(runId);
    if (body?.effectId !== effectId) return null;
    return body.text === '' && body.reasoning === '' && body.refusal === '' ? null : body;
  }
}
