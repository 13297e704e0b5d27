import { readMessages, takeMessages } from '../../engine/read-log.ts';
import {
  type AssistantBody,
  parseMessage,
  type StoredCall,
  type StoredMessage,
  type ToolBody,
} from '../../records/messages.ts';
import type { Question } from '../../records/question.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../statements.ts';
import { readQuestions, takeQuestions } from './questions.ts';

/** A call that an answer asked for, and what came of it. */
export interface ToldCall extends StoredCall {
  /** False for a call of a broken-off answer, which never runs. */
  isMade: boolean;
  result: ToolBody | null;
  /** What was asked about it, oldest first. */
  questions: readonly Question[];
}

/** What the messages and the questions of an agent's run tell. */
export interface Story {
  messages: readonly StoredMessage[];
  questions: readonly Question[];
  /** Those that stayed, oldest first. */
  answers: readonly AssistantBody[];
  /** By their numbers, in their order. */
  calls: ReadonlyMap<number, ToldCall>;
}

function storyOf(messages: readonly StoredMessage[], questions: readonly Question[]): Story {
  const answers: AssistantBody[] = [];
  const calls = new Map<number, ToldCall>();
  const asked = Map.groupBy(questions, ({ call }) => call);
  for (const { role, body } of messages) {
    if (role === 'assistant') {
      answers.push(body);
      for (const call of body.toolCalls)
        calls.set(call.callId, {
          ...call,
          isMade: !body.error,
          result: null,
          questions: asked.get(call.callId) ?? [],
        });
    }
    const call = role === 'tool' ? calls.get(body.callId) : undefined;
    if (role === 'tool' && call) call.result ??= body;
  }
  return { messages, questions, answers, calls };
}

/** Of a run as it is now. */
export async function readStory(store: Store, row: RunRow): Promise<Story> {
  const messages = (await Array.fromAsync(readMessages(store, row))).map(parseMessage);
  return storyOf(messages, await readQuestions(store, row));
}

/** As {@link readStory}, within a program. */
export function* takeStory(row: RunRow): Program<Story> {
  const messages = (yield* takeMessages(row, row.seq)).map(parseMessage);
  return storyOf(messages, yield* takeQuestions(row));
}
