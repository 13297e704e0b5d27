import type { Scoped, TaintedFile } from '../rows.ts';

/** Files that hold untrusted text. */
export interface TaintedFileStatements {
  /** Adds a file, or what is known of one. */
  putTaintedFile: { in: Scoped & TaintedFile; out: number };
  /** 0 if it is none of them, or its content is known: somebody else has written it meanwhile. */
  deleteTaintedFile: { in: Scoped & { path: string }; out: number };
  /** In the order of their paths. */
  listTaintedFiles: { in: Scoped; out: TaintedFile[] };
}
