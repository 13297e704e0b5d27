import type { RunDelta, RunEvent } from '../../index.ts';

/** A further piece of the agent's text. */
interface Piece {
  kind: 'text' | 'refusal';
  /** The model call and its attempt. */
  answer: string;
  /** Whether it begins an answer, or another kind of text in the answer. */
  isNew: boolean;
  text: string;
}

/**
 * The text of a run in order, without repetition, whether it arrives in pieces or as a whole: a client may join in the
 * middle of an answer, and a cached answer comes whole.
 */
export class SaidSoFar {
  #answer = '';
  #effectId = 0;
  #sent = { text: '', refusal: '' };

  /** The pieces that an event adds, in order. */
  take(event: RunEvent | RunDelta): Piece[] {
    if (event.event === 'assistant.delta') {
      const { effectId, attempt, contentType, offset, content } = event.payload;
      const answer = `${effectId}/${attempt}`;
      if (answer !== this.#answer) this.#begin(effectId, answer);
      return offset === this.#sent[contentType].length ? this.#say(contentType, content) : [];
    }
    if (event.event === 'assistant.message' && event.payload.error === null) {
      const { effectId, content, refusal } = event.payload;
      if (effectId !== this.#effectId) this.#begin(effectId, `${effectId}`);
      return [...this.#complete('text', content), ...this.#complete('refusal', refusal)];
    }
    return [];
  }

  #begin(effectId: number, answer: string): void {
    this.#answer = answer;
    this.#effectId = effectId;
    this.#sent = { text: '', refusal: '' };
  }

  #complete(kind: Piece['kind'], whole: string): Piece[] {
    const sent = this.#sent[kind];
    return whole.startsWith(sent) ? this.#say(kind, whole.slice(sent.length)) : [];
  }

  #say(kind: Piece['kind'], text: string): Piece[] {
    if (text === '') return [];
    const isNew = this.#sent[kind] === '';
    this.#sent[kind] += text;
    return [{ kind, answer: this.#answer, isNew, text }];
  }
}
