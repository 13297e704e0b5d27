import type { ArtifactStatements } from '../../statements/artifacts.ts';
import type { Queries } from './query.ts';

export const artifactQueries = {
  insertArtifact: [
    'run',
    (k, p) =>
      k.insertInto('artifacts').values({
        tenant_id: p.tenant,
        id: p.id,
        run_pk: p.run,
        mime: p.mime,
        encoding: p.encoding,
        body: p.body,
        created_at: p.createdAt,
      }),
  ],
  findArtifact: [
    'get',
    (k, p) =>
      k
        .selectFrom('artifacts')
        .select(['id', 'run_pk as run', 'mime', 'encoding', 'body', 'created_at as createdAt'])
        .where('tenant_id', '=', p.tenant)
        .where('id', '=', p.id),
  ],
} satisfies Queries<ArtifactStatements>;
