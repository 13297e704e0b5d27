import { change, columnsOf, one, valuesOf } from '../query/query.ts';
import type { Scoped, UploadRow } from '../rows.ts';

/** Files that clients have uploaded for messages to come. */
export const uploadStatements = {
  insertUpload: change<UploadRow & Scoped>((k, p) => k.insertInto('uploads').values(valuesOf('uploads', p))),
  findUpload: one<Scoped & { id: string }, UploadRow>((k, p) =>
    k
      .selectFrom('uploads')
      .select(columnsOf('uploads'))
      .where('tenant_id', '=', p.tenant)
      .where('id', '=', p.id),
  ),
  /** Deletes the uploads of every tenant that were made before. */
  deleteUploadsBefore: change<{ at: number }>((k, p) =>
    k.deleteFrom('uploads').where('created_at', '<', p.at),
  ),
};
