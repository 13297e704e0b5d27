import type { Scoped } from '../rows.ts';

/** The cache of model answers. */
export interface CachedAnswerStatements {
  /** Finds an answer not older than `since`. */
  findAnswer: {
    in: Scoped & { key: string; since: number };
    out: { answer: string; at: number } | undefined;
  };
  /** Replaces an earlier answer with the same key. */
  putAnswer: { in: Scoped & { key: string; answer: string; at: number }; out: number };
  /** Deletes answers of all tenants: only drivers call it. */
  deleteAnswersBefore: { in: { before: number }; out: number };
  deleteAnswersOf: { in: Scoped; out: number };
}
