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
  findArtifactRun: [
    'get',
    (k, p) =>
      k
        .selectFrom('artifacts as a')
        .innerJoin('runs as r', 'r.pk', 'a.run_pk')
        .innerJoin('sessions as s', 's.pk', 'r.session_pk')
        .select(['r.pk as run', 'r.id as runId', 's.pk as session', 's.key as sessionKey'])
        .where('a.tenant_id', '=', p.tenant)
        .where('a.id', '=', p.id),
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
