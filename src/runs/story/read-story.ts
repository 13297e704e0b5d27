import { readMessages } from '../../engine/read-log.ts';
import type { Usage } from '../../protocol/token-usage.ts';
import { questionOf } from '../../records/question.ts';
import { type AssistantBody, parseMessage, type StoredMessage } from '../../records/stored-message.ts';
import type { Program } from '../../store/program.ts';
import type { ConfirmationRow, RunRow } from '../../store/rows.ts';
import { ask, type Store } from '../statements.ts';
import { type AskedQuestion, Story, type ToldCall } from './story.ts';

/** What all messages and questions of an agent's run tell, or those of a session. */
export interface WholeStory {
  messages: readonly StoredMessage[];
  questions: readonly AskedQuestion[];
  /** Those that stayed, oldest first. */
  answers: readonly AssistantBody[];
  /** By their numbers, in their order. */
  calls: ReadonlyMap<number, ToldCall>;
  usage: Usage;
}

export function storyOf(messages: readonly StoredMessage[], questions: readonly AskedQuestion[]): WholeStory {
  const story = new Story();
  const answers: AssistantBody[] = [];
  const calls = new Map<number, ToldCall>();
  const asked = Map.groupBy(questions, ({ call }) => call);
  for (const message of messages) {
    const told = story.say(message);
    if (told.role !== 'assistant') continue;
    answers.push(told.body);
    for (const call of told.calls) {
      call.questions = asked.get(call.callId) ?? [];
      calls.set(call.callId, call);
    }
  }
  return { messages, questions, answers, calls, usage: story.tally.usage };
}

/** Of a run as it is now. */
export async function readStory(store: Store, row: RunRow): Promise<WholeStory> {
  const messages = (await Array.fromAsync(readMessages(store, row))).map(parseMessage);
  return storyOf(messages, await readQuestions(store, row));
}

/** All that a run asked, by call, oldest first. */
export async function readQuestions(store: Store, { pk: run }: { pk: number }): Promise<AskedQuestion[]> {
  return (await store.query('listConfirmations', { run })).map(numbered);
}

/** As {@link readQuestions}, within a program. */
export function* takeQuestions({ pk: run }: { pk: number }): Program<AskedQuestion[]> {
  return (yield* ask('listConfirmations', { run })).map(numbered);
}

function numbered(row: ConfirmationRow): AskedQuestion {
  return { ...questionOf(row), n: row.n };
}
