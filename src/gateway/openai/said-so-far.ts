import type { RunDelta, RunEvent } from '../../index.ts';

/** Some more words of the agent. */
interface Piece {
  kind: 'text' | 'refusal';
  /** The model call and its attempt. */
  answer: string;
  /** Whether it begins an answer, or the other kind of words in it. */
  isNew: boolean;
  text: string;
}

/**
 * The words of a run in order, each once, whether they come in pieces or as a whole: a client may follow an answer that had
 * begun, or one that a cache gave.
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
