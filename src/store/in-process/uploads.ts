import type { UploadStatements } from '../statements/uploads.ts';
import { constraintFailed } from './errors.ts';
import { everyRow, type Handlers, scoped, type Tables } from './schema.ts';

export function uploadStatements({ uploads, uploadsByAge }: Tables): Handlers<UploadStatements> {
  return {
    insertUpload({ tenant, ...row }) {
      const key = scoped(tenant, row.id);
      if (uploads.get(key)) throw constraintFailed(`upload "${row.id}" exists`);
      uploads.set(key, row);
      uploadsByAge.add(everyRow, { createdAt: row.createdAt, key });
      return 1;
    },

    findUpload({ tenant, id }) {
      const row = uploads.get(scoped(tenant, id));
      return row && { ...row };
    },

    deleteUploadsBefore({ at }) {
      const old = uploadsByAge.of(everyRow).filter(({ createdAt }) => createdAt < at);
      for (const one of old) {
        uploads.delete(one.key);
        uploadsByAge.remove(everyRow, one);
      }
      return old.length;
    },
  };
}
