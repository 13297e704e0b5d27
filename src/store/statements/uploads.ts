import type { Scoped, UploadRow } from '../rows.ts';

/** Files that clients have uploaded for messages to come. */
export interface UploadStatements {
  insertUpload: { in: UploadRow & Scoped; out: number };
  findUpload: { in: Scoped & { id: string }; out: UploadRow | undefined };
  /** Deletes the uploads of every tenant that were made before. */
  deleteUploadsBefore: { in: { at: number }; out: number };
}
