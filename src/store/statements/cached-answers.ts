import type { Scoped } from '../rows.ts';

/** Answers of models that stand in for a call. */
export interface CachedAnswerStatements {
  /** Not older than `since`. */
  findAnswer: {
    in: Scoped & { key: string; since: number };
    out: { answer: string; at: number } | undefined;
  };
  /** Takes the place of an earlier one. */
  putAnswer: { in: Scoped & { key: string; answer: string; at: number }; out: number };
  /** Those of every tenant: for drivers alone. */
  deleteAnswersBefore: { in: { before: number }; out: number };
  deleteAnswersOf: { in: Scoped; out: number };
}
