import type { UploadStatements } from '../../statements/uploads.ts';
import type { Queries } from './query.ts';

export const uploadQueries = {
  insertUpload: [
    'run',
    (k, p) =>
      k.insertInto('uploads').values({
        tenant_id: p.tenant,
        id: p.id,
        user_id: p.user,
        name: p.name,
        mime: p.mime,
        body: p.body,
        created_at: p.createdAt,
      }),
  ],
  findUpload: [
    'get',
    (k, p) =>
      k
        .selectFrom('uploads')
        .select(['id', 'user_id as user', 'name', 'mime', 'body', 'created_at as createdAt'])
        .where('tenant_id', '=', p.tenant)
        .where('id', '=', p.id),
  ],
  deleteUploadsBefore: ['run', (k, p) => k.deleteFrom('uploads').where('created_at', '<', p.at)],
} satisfies Queries<UploadStatements>;
