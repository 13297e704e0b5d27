import type { TaintedFileStatements } from '../statements/tainted-files.ts';
import type { Handlers, Tables } from './schema.ts';

export function taintedFileStatements({ taintedFiles }: Tables): Handlers<TaintedFileStatements> {
  return {
    putTaintedFile({ tenant, path, bytes, hash }) {
      if (taintedFiles.find(tenant, { path })) taintedFiles.replace(tenant, { path, bytes, hash });
      else taintedFiles.add(tenant, { path, bytes, hash });
      return 1;
    },

    deleteTaintedFile({ tenant, path }) {
      if (taintedFiles.find(tenant, { path })?.hash !== '') return 0;
      taintedFiles.remove(tenant, { path });
      return 1;
    },

    listTaintedFiles: ({ tenant }) => [...taintedFiles.of(tenant)],
  };
}
