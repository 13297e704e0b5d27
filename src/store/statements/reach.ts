import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../query/dialect.ts';
import { isNull } from '../query/query.ts';

/**
 * To which agent or workflow a run belongs: `agent:NAME`, or its machine, which for a workflow is `workflow:ID`. A run that makes one
 * call for a chart belongs to the workflow; a call that a program asked for belongs to the agent that it names, and a takeover to the agent that it silences.
 */
const kindOfRun = ({ jsonField }: Dialect): RawBuilder<string> => sql`case
    when runs.machine not in ('run', 'call', 'takeover') then runs.machine
    when ${jsonField('runs.options', 'call')} is null
        or (runs.machine = 'call' and ${jsonField('runs.options', 'agent')} is not null)
      then 'agent:' || coalesce(${jsonField('runs.options', 'agent')}, 'default')
    else coalesce((select above.machine from runs as above
      where above.tenant_id = runs.tenant_id and above.id = ${jsonField('runs.options', 'parentRunId')}), 'run')
  end`;

/**
 * Whether a run is within a reach: a list of kinds as JSON, in which `agent:` and `workflow:` stand for all; null for no limit. Looks
 * for the kind in its quotes, because a table of the list would be scanned.
 */
export function isWithinReach(d: Dialect, reach: never): RawBuilder<boolean> {
  const kind = kindOfRun(d);
  return sql`(${isNull(reach, 'text')}
    or ${d.contains(reach, d.quoted(kind))}
    or (${d.contains(reach, sql.lit('"agent:"'))} and ${kind} like 'agent:%')
    or (${d.contains(reach, sql.lit('"workflow:"'))} and ${kind} like 'workflow:%'))`;
}
