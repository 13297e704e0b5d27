import { pagesOfLog, pagesOfMessages } from '../../engine/log.ts';
import type { Usage } from '../../protocol/content.ts';
import { type Program, read } from '../../store/program.ts';
import type { EventRow, RunRow } from '../../store/rows.ts';
import { type LogEvent, logEvent, questionOf, unsaidCalls } from '../../store/stored-call.ts';
import { type AssistantBody, parseMessage, type StoredMessage } from '../../store/stored-message.ts';
import { agentMachine } from '../../store/stored-run.ts';
import { kindOf } from '../kinds/kind-of.ts';
import { ask, type Store } from '../rows/statements.ts';
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

/** @param unsaid see {@link readSaid}; without them the usage is that of messages alone */
export function storyOf(
  messages: readonly StoredMessage[],
  questions: readonly AskedQuestion[],
  unsaid: readonly LogEvent[] = [],
): WholeStory {
  const story = new Story();
  for (const event of unsaid) story.pay(event);
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

/** With what its log tells besides. */
export interface RunStory extends WholeStory {
  /** The states that it was in, oldest first. */
  states: string[];
  /** The events that say what no message does. */
  events: (LogEvent & { seq: number })[];
}

const telling: ReadonlySet<string> = new Set([
  ...['model.done', 'model.switched', 'tool.failed', 'confirm.decide', 'tool.reconcile'],
]);

/** Of a run as it is now. @param take gets each transition as it is read */
export async function readStory(
  store: Store,
  row: RunRow,
  take?: (event: EventRow) => void,
): Promise<RunStory> {
  const states = [kindOf(row).firstPath];
  const events: RunStory['events'] = [];
  const { messages, unsaid } = await readSaid(store, row, (event) => {
    const { seq, type, path, body } = event;
    take?.(event);
    if (path !== states.at(-1)) states.push(path);
    if (telling.has(type) || body.includes('"skill')) events.push({ ...logEvent(event), seq });
  });
  return { ...storyOf(messages, await readQuestions(store, row), unsaid), states, events };
}

/** The messages of a run, and its events of model calls whose answers may be none. */
export async function readSaid(
  store: Store,
  row: RunRow,
  take?: (event: EventRow) => void,
): Promise<{ messages: StoredMessage[]; unsaid: LogEvent[] }> {
  const unsaid: LogEvent[] = [];
  for await (const page of pagesOfLog(store, row.pk, { upTo: row.seq }))
    for (const event of page) {
      take?.(event);
      if (row.machine === agentMachine && unsaidCalls.has(event.type)) unsaid.push(logEvent(event));
    }
  const messages: StoredMessage[] = [];
  for await (const page of pagesOfMessages(store, row, { upTo: row.seq }))
    messages.push(...page.map(parseMessage));
  return { messages, unsaid };
}

/** All that a run asked, by call, oldest first. */
export function readQuestions(store: Store, row: { pk: number }): Promise<AskedQuestion[]> {
  return read(store, takeQuestions(row));
}

/** The same within a program. */
export function* takeQuestions({ pk: run }: { pk: number }): Program<AskedQuestion[]> {
  return (yield* ask('listConfirmations', { run })).map((row) => ({ ...questionOf(row), n: row.n }));
}
