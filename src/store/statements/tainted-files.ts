import { all, change, columnsOf, valuesOf } from '../query/query.ts';
import type { Scoped, TaintedFile } from '../rows.ts';

/** Files that hold untrusted text. */
export const taintedFileStatements = {
  /** Adds a file, or what is known of one. */
  putTaintedFile: change<Scoped & TaintedFile>((k, p) =>
    k
      .insertInto('tainted_files')
      .values(valuesOf('tainted_files', p))
      .onConflict((c) => c.columns(['tenant_id', 'path']).doUpdateSet({ bytes: p.bytes, hash: p.hash })),
  ),
  /** 0 if it is none of them, or its content is known: somebody else has written it meanwhile. */
  deleteTaintedFile: change<Scoped & { path: string }>((k, p) =>
    k
      .deleteFrom('tainted_files')
      .where('tenant_id', '=', p.tenant)
      .where('path', '=', p.path)
      .where('hash', '=', ''),
  ),
  /** In the order of their paths. */
  listTaintedFiles: all<Scoped, TaintedFile>((k, p) =>
    k
      .selectFrom('tainted_files')
      .select(columnsOf('tainted_files'))
      .where('tenant_id', '=', p.tenant)
      .orderBy('path'),
  ),
};
