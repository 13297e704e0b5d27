import type { ModelDelta } from '../../protocol/answer.ts';
import { AnswerBody } from '../wire/answer-body.ts';
import type { AnswerBodyOptions } from '../wire/answer-reader.ts';
import { ChatAnswer } from './chat-answer.ts';

export interface ChatBodyOptions extends Omit<AnswerBodyOptions, 'kind'> {
  onDelta(delta: ModelDelta): void;
}

/** Reads the body of a chat-completions response. */
export class ChatBody extends AnswerBody {
  constructor({ onDelta, ...options }: ChatBodyOptions) {
    super(new ChatAnswer(options.origin, onDelta), { ...options, kind: 'chat completion' });
  }
}
