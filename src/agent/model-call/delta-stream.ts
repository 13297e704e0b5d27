import { deltaPart, deltaText, type ModelAnswer, type ModelDelta } from '../../protocol/content.ts';
import type { StreamRedactor } from '../../text/wording.ts';
import type { RunEffect } from '../effect/run-effect.ts';

interface Part {
  redactor: StreamRedactor;
  /** Characters sent so far. */
  offset: number;
  /** The part's last delta: the template for the text that is held back. */
  last: ModelDelta;
}

/**
 * Sends the deltas of an answer to watchers and redacts known secrets, even those split over deltas.
 *
 * Each part of the answer (its text, its reasoning, each call's arguments) is a stream of its own.
 */
export class DeltaStream {
  readonly #parts = new Map<string, Part>();
  readonly #newRedactor: () => StreamRedactor;
  readonly #job: Pick<RunEffect, 'signalWatchers'>;

  /** @param job its watchers get each delta with the number of characters that its part has sent before. */
  constructor(newRedactor: () => StreamRedactor, job: Pick<RunEffect, 'signalWatchers'>) {
    this.#newRedactor = newRedactor;
    this.#job = job;
  }

  push(delta: ModelDelta): void {
    const key = deltaPart(delta);
    const part = this.#parts.get(key);
    // The first delta of a call has its name and may have no arguments.
    const isNews = delta.type === 'toolCall' && !part;
    const own = part ?? { redactor: this.#newRedactor(), offset: 0, last: delta };
    own.last = delta;
    this.#parts.set(key, own);
    const text = own.redactor.push(deltaText(delta));
    if (text !== '' || isNews) this.#job.signalWatchers(newsOf(own, text));
  }

  /** Sends the text that was held back. */
  end(): void {
    for (const part of this.#parts.values()) {
      const text = part.redactor.flush();
      if (text !== '') this.#job.signalWatchers(newsOf(part, text));
    }
  }
}

/** The next text of a part, which from now on is sent. */
function newsOf(part: Part, text: string): { type: 'delta'; delta: ModelDelta; offset: number } {
  const { offset, last } = part;
  part.offset += text.length;
  const delta = last.type === 'toolCall' ? { ...last, argumentsDelta: text } : { ...last, text };
  return { type: 'delta', delta, offset };
}

/** The deltas of an answer that was not streamed. */
export function wholeDeltas({ reasoning, text, refusal, toolCalls }: ModelAnswer): ModelDelta[] {
  const said = { reasoning, text, refusal };
  return [
    ...(['reasoning', 'text', 'refusal'] as const).flatMap((type) =>
      said[type] === '' ? [] : [{ type, text: said[type] }],
    ),
    ...toolCalls.map(({ id, name, arguments: argumentsDelta }, index) => ({
      type: 'toolCall' as const,
      index,
      id,
      name,
      argumentsDelta,
    })),
  ];
}
