import type { TaintedFileStatements } from '../../statements/tainted-files.ts';
import type { Queries } from './query.ts';

export const taintedFileQueries = {
  putTaintedFile: [
    'run',
    (k, p) =>
      k
        .insertInto('tainted_files')
        .values({ tenant_id: p.tenant, path: p.path, bytes: p.bytes, hash: p.hash })
        .onConflict((c) => c.columns(['tenant_id', 'path']).doUpdateSet({ bytes: p.bytes, hash: p.hash })),
  ],
  deleteTaintedFile: [
    'run',
    (k, p) =>
      k
        .deleteFrom('tainted_files')
        .where('tenant_id', '=', p.tenant)
        .where('path', '=', p.path)
        .where('hash', '=', ''),
  ],
  listTaintedFiles: [
    'all',
    (k, p) =>
      k
        .selectFrom('tainted_files')
        .select(['path', 'bytes', 'hash'])
        .where('tenant_id', '=', p.tenant)
        .orderBy('path'),
  ],
} satisfies Queries<TaintedFileStatements>;
