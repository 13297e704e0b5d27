import type { RunRow } from '../rows.ts';
import { scoped, type Tables } from './schema.ts';

/** What a run is of, as the queries in SQL have it. */
function kindOfRun({ runs, runIds }: Tables, { machine, options, tenant }: RunRow): string {
  if (machine !== 'run') return machine;
  const { call, agent, parentRunId } = JSON.parse(options) as {
    call?: unknown;
    agent?: string;
    parentRunId?: string;
  };
  if (call === undefined) return `agent:${agent ?? 'default'}`;
  return runs.get(runIds.get(scoped(tenant, parentRunId ?? '')) ?? 0)?.machine ?? 'run';
}

export function isWithinReach(tables: Tables, row: RunRow, reach: string | null): boolean {
  if (reach === null) return true;
  const kind = kindOfRun(tables, row);
  return (JSON.parse(reach) as string[]).some(
    (one) => one === kind || (/^(?:agent|workflow):$/.test(one) && kind.startsWith(one)),
  );
}
