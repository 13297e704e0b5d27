import { type Question, questionOf } from '../../records/question.ts';
import type { Program } from '../../store/program.ts';
import { ask, type Store } from '../statements.ts';

/** All that a run asked, in the order in which it did. */
export async function readQuestions(store: Store, { pk: run }: { pk: number }): Promise<Question[]> {
  return (await store.query('listConfirmations', { run })).map(questionOf);
}

/** As {@link readQuestions}, within a program. */
export function* takeQuestions({ pk: run }: { pk: number }): Program<Question[]> {
  return (yield* ask('listConfirmations', { run })).map(questionOf);
}
