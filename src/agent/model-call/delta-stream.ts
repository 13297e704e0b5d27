import type { StreamRedactor } from '../../ports/stream-redactor.ts';
import type { ModelAnswer, ModelDelta } from '../../protocol/answer.ts';

interface Part {
  redactor: StreamRedactor;
  /** Characters told so far. */
  offset: number;
  /** The part's last piece, as a form for what is held back. */
  last: ModelDelta;
}

/**
 * Tells watchers of an answer as it comes, with known secrets taken out, wherever its pieces are cut.
 *
 * Each part of the answer (its text, its reasoning, each call's arguments) is a stream of its own.
 */
export class DeltaStream {
  readonly #parts = new Map<string, Part>();
  readonly #newRedactor: () => StreamRedactor;
  readonly #tell: (delta: ModelDelta, offset: number) => void;

  /** @param tell gets each piece with the number of characters that its part has told before. */
  constructor(newRedactor: () => StreamRedactor, tell: (delta: ModelDelta, offset: number) => void) {
    this.#newRedactor = newRedactor;
    this.#tell = tell;
  }

  push(delta: ModelDelta): void {
    const key = delta.type === 'toolCall' ? `call ${delta.index}` : delta.type;
    const part = this.#parts.get(key);
    // The first piece of a call names it, and may hold nothing else.
    const isNews = delta.type === 'toolCall' && !part;
    const own = part ?? { redactor: this.#newRedactor(), offset: 0, last: delta };
    own.last = delta;
    this.#parts.set(key, own);
    this.#say(own, own.redactor.push(textOf(delta)), isNews);
  }

  /** Tells what was held back. */
  end(): void {
    for (const part of this.#parts.values()) this.#say(part, part.redactor.flush(), false);
  }

  #say(part: Part, text: string, evenNothing: boolean): void {
    if (text === '' && !evenNothing) return;
    const { offset, last } = part;
    part.offset += text.length;
    this.#tell(last.type === 'toolCall' ? { ...last, argumentsDelta: text } : { ...last, text }, offset);
  }
}

function textOf(delta: ModelDelta): string {
  return delta.type === 'toolCall' ? delta.argumentsDelta : delta.text;
}

/** What watchers are told of an answer that came in one piece. */
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
