/** The line that takes back words which were written already. */
export const withdrawal = 'the answer broke off: its words above are withdrawn';

/** The answer in progress of a run, as far as a person has seen it. A model call that is made again begins it anew. */
export class StreamedAnswer {
  #effect: unknown = null;
  /** The words that were written. */
  shown = '';
  /** Words that came, and were not written yet. */
  held = '';

  /** Whether this effect gives the answer in progress. */
  isOf(effectId: unknown): boolean {
    return effectId === this.#effect;
  }

  /** A piece of an effect's answer has come; true for the first one of an answer. */
  begins(effectId: unknown): boolean {
    if (this.isOf(effectId)) return false;
    this.#restart(effectId);
    return true;
  }

  /** An effect's answer broke off. True if a person has seen words of it, which must be taken back. */
  breaksOff(effectId: unknown): boolean {
    if (!this.isOf(effectId)) return false;
    const wasSeen = this.shown !== '';
    this.#restart(null);
    return wasSeen;
  }

  #restart(effectId: unknown): void {
    this.#effect = effectId;
    this.shown = '';
    this.held = '';
  }
}
