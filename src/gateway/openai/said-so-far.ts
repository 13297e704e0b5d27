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
  readonly #send: (piece: Piece) => void;
  #answer = '';
  #effectId = 0;
  #sent = { text: '', refusal: '' };

  constructor(send: (piece: Piece) => void) {
    this.#send = send;
  }

  take(event: RunEvent | RunDelta): void {
    if (event.event === 'assistant.delta') {
      const { effectId, attempt, contentType, offset, content } = event.payload;
      const answer = `${effectId}/${attempt}`;
      if (answer !== this.#answer) this.#begin(effectId, answer);
      if (offset === this.#sent[contentType].length) this.#say(contentType, content);
    } else if (event.event === 'assistant.message' && event.payload.error === null) {
      const { effectId, content, refusal } = event.payload;
      if (effectId !== this.#effectId) this.#begin(effectId, `${effectId}`);
      this.#complete('text', content);
      this.#complete('refusal', refusal);
    }
  }

  #begin(effectId: number, answer: string): void {
    this.#answer = answer;
    this.#effectId = effectId;
    this.#sent = { text: '', refusal: '' };
  }

  #complete(kind: Piece['kind'], whole: string): void {
    const sent = this.#sent[kind];
    if (whole.startsWith(sent)) this.#say(kind, whole.slice(sent.length));
  }

  #say(kind: Piece['kind'], text: string): void {
    if (text === '') return;
    const isNew = this.#sent[kind] === '';
    this.#sent[kind] += text;
    this.#send({ kind, answer: this.#answer, isNew, text });
  }
}
