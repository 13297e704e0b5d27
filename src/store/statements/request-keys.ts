import type { RequestKeyRow, Scoped } from '../rows.ts';

type Named = Scoped & { name: string };

/** Keys with which clients repeat requests. */
export interface RequestKeyStatements {
  insertRequestKey: { in: Scoped & Omit<RequestKeyRow, 'answer'>; out: number };
  findRequestKey: { in: Named; out: RequestKeyRow | undefined };
  /** Passes a request without an answer from one driver to another; 0 if it has an answer, or is not `was`'s. */
  passRequestKey: { in: Named & { was: number; driver: number }; out: number };
  /** 0 if the request is not the driver's, or has an answer. */
  answerRequestKey: { in: Named & { driver: number; answer: string }; out: number };
  /** Deletes a request without an answer; 0 if it is not the driver's, or has one. */
  deleteRequestKey: { in: Named & { driver: number }; out: number };
  /** Deletes the keys of every tenant that were made before. */
  deleteRequestKeysBefore: { in: { at: number }; out: number };
  /** Deletes all answered keys of an owner but the newest `keep`. */
  deleteSurplusRequestKeys: { in: Scoped & { owner: string; keep: number }; out: number };
}
