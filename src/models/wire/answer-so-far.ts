import type { ModelAnswer, ModelDelta, ModelError } from '../../protocol/content.ts';
import type { AnswerReader } from './answer-reader.ts';
import { reportedError } from './http-error.ts';

/** What the answers of all wires keep of what has come. */
export abstract class AnswerSoFar implements AnswerReader {
  error: ModelError | null = null;
  began = false;
  isOver = false;
  finishReason: string | null = null;
  abstract readonly size: number;
  protected readonly pieces = { text: '', reasoning: '', refusal: '' };
  /** As the provider names it. */
  protected model = '';
  protected readonly origin: string;
  protected readonly onDelta: (delta: ModelDelta) => void;

  /** @param origin the server's origin, for error messages */
  constructor(origin: string, onDelta: (delta: ModelDelta) => void) {
    this.origin = origin;
    this.onDelta = onDelta;
  }

  abstract add(message: unknown, event?: string): void;

  abstract build(model: string, failure: ModelError | null): ModelAnswer;

  fail(report: unknown): void {
    this.error ??= reportedError(report, this.origin);
  }
}
