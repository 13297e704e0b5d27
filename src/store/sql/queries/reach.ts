import { type RawBuilder, sql } from 'kysely';

/**
 * What a run is of: `agent:NAME`, or its machine, which for a workflow is `workflow:ID`. A run that makes one call for a chart is
 * its workflow's.
 */
const kindOfRun: RawBuilder<string> = sql<string>`case
    when runs.machine <> 'run' then runs.machine
    when json_extract(runs.options, '$.call') is null
      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')
    else coalesce((select above.machine from runs as above
      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')
  end`;

/**
 * Whether a run is within a reach: a list of kinds as JSON, in which `agent:` and `workflow:` stand for all; null for no limit. Looks
 * for the kind in its quotes, because a table of the list would be scanned.
 */
export const isWithinReach = (reach: never): RawBuilder<boolean> => sql<boolean>`(${reach} is null
    or instr(${reach}, json_quote(${kindOfRun})) > 0
    or (instr(${reach}, '"agent:"') > 0 and ${kindOfRun} like 'agent:%')
    or (instr(${reach}, '"workflow:"') > 0 and ${kindOfRun} like 'workflow:%'))`;
