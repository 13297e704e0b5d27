import type { MachineHost } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { MachineDefinition, MachineLayout } from '../../protocol/views.ts';
import type { Core } from '../config/core.ts';

/** The statecharts of runs, as data. */
export interface DetentMachine {
  /**
   * The definition of a machine as plain JSON: its states and the transitions between them. Throws `NOT_FOUND`.
   *
   * @param name default: `run`, the chart of an agent's run
   * @param version default: the one that new runs have
   */
  get(name?: string, version?: number): Promise<MachineDefinition>;
  /**
   * The positions of the states and edges of a machine, for a page to draw. Computed once for each chart. Throws
   * `NOT_FOUND`.
   */
  layout(name?: string, version?: number): Promise<MachineLayout>;
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function machineApi(core: () => Promise<Pick<Core, 'hosts'>>): DetentMachine {
  /** By the hash of the definition. */
  const layouts = new Map<string, Promise<MachineLayout>>();

  const get: DetentMachine['get'] = async (name = 'run', version) => {
    const { definitionOf } = await import('../chart/definition.ts');
    const { id, version: found, machine } = hostOf((await core()).hosts, name, version);
    return definitionOf(id, found, machine.definition);
  };

  return {
    get,
    async layout(name, version) {
      const definition = await get(name, version);
      const key = `${definition.name} ${definition.version} ${definition.hash}`;
      const known = layouts.get(key);
      if (known) return structuredClone(await known);
      const { layoutOf } = await import('../chart/layout.ts');
      const layout = layoutOf(definition);
      layouts.set(key, layout);
      layout.catch(() => layouts.delete(key));
      return structuredClone(await layout);
    },
  };
}

function hostOf({ find, newest }: Core['hosts'], name: string, version: number | undefined): MachineHost {
  try {
    const host = version === undefined ? newest(name) : find(name, version);
    if (host) return host;
  } catch (error) {
    if (!DetentError.is(error) || error.code !== 'MIGRATION_NEEDED') throw error;
  }
  const which = version === undefined ? `machine "${name}"` : `version ${version} of machine "${name}"`;
  throw new DetentError(
    'NOT_FOUND',
    `this program has no ${which}; "detent machine show" draws that of runs`,
    {
      details: { name, version: version ?? null },
    },
  );
}
