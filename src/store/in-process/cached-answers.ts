import type { CachedAnswerStatements } from '../statements/cached-answers.ts';
import { everyRow, type Handlers, type Tables } from './schema.ts';

export function cachedAnswerStatements({
  cachedAnswers,
  answersByAge,
}: Tables): Handlers<CachedAnswerStatements> {
  return {
    findAnswer({ tenant, key, since }) {
      const row = cachedAnswers.find(tenant, { key });
      return row && row.at >= since ? { answer: row.answer, at: row.at } : undefined;
    },

    putAnswer({ tenant, key, answer, at }) {
      const row = { tenant, key, answer, at };
      const old = cachedAnswers.find(tenant, { key });
      if (old) {
        cachedAnswers.replace(tenant, row);
        answersByAge.remove(everyRow, old);
      } else cachedAnswers.add(tenant, row);
      answersByAge.add(everyRow, { at, tenant, key });
      return 1;
    },

    deleteAnswersBefore({ before }) {
      const all = answersByAge.of(everyRow);
      const firstKept = all.findIndex(({ at }) => at >= before);
      const gone = all.slice(0, firstKept < 0 ? all.length : firstKept);
      for (const row of gone) {
        answersByAge.remove(everyRow, row);
        cachedAnswers.remove(row.tenant, row);
      }
      return gone.length;
    },

    deleteAnswersOf({ tenant }) {
      const gone = cachedAnswers.clear(tenant);
      for (const row of gone) answersByAge.remove(everyRow, row);
      return gone.length;
    },
  };
}
