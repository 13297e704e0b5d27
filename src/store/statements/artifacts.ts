import { change, columnsOf, one, valuesOf } from '../query/query.ts';
import type { ArtifactRow, Scoped } from '../rows.ts';

/** Parts of messages that are stored separately: long text, images. */
export const artifactStatements = {
  insertArtifact: change<ArtifactRow & Scoped>((k, p) =>
    k.insertInto('artifacts').values(valuesOf('artifacts', p)),
  ),
  /** The run that an artifact belongs to. */
  findArtifactRun: one<
    Scoped & { id: string },
    { run: number; runId: string; session: number; sessionKey: string }
  >((k, p) =>
    k
      .selectFrom('artifacts as a')
      .innerJoin('runs as r', 'r.pk', 'a.run_pk')
      .innerJoin('sessions as s', 's.pk', 'r.session_pk')
      .select(['r.pk as run', 'r.id as runId', 's.pk as session', 's.key as sessionKey'])
      .where('a.tenant_id', '=', p.tenant)
      .where('a.id', '=', p.id),
  ),
  findArtifact: one<Scoped & { id: string }, ArtifactRow>((k, p) =>
    k
      .selectFrom('artifacts')
      .select(columnsOf('artifacts'))
      .where('tenant_id', '=', p.tenant)
      .where('id', '=', p.id),
  ),
};
