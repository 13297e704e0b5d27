import { DetentError } from '../../protocol/error.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { RunRow } from '../../store/rows.ts';

import type { EngineEvent, MachineHost, Migration } from './machine-host.ts';

/** How this program drives a stored run: the host, and the migrations that must come first. */
export interface MigrationPath {
  host: MachineHost;
  /** Empty for a run that continues under its own version. */
  steps: readonly Migration[];
}

type Versioned = Pick<RunRow, 'id' | 'machine' | 'version' | 'options'>;

/** The machines of a program, each in one version or several. */
export interface MachineHosts {
  /**
   * Registers machines. A host may need the engine that drives it, so hosts can follow an engine; it moves no run before.
   *
   * @throws DetentError `INVALID_MACHINE` for two of one version, or a migration that does not lead upwards.
   */
  add(hosts: Iterable<MachineHost>): void;
  /** The version that new runs use. @throws DetentError `MIGRATION_NEEDED` if the machine is not registered. */
  newest(machine: string): MachineHost;
  find(machine: string, version: number): MachineHost | undefined;
  /** A host for what all versions of the machine share: the host of the run's own version, if that is registered. */
  like(run: Pick<Versioned, 'machine' | 'version'>): MachineHost;
  /** The host that ends a run whose own chart this program lacks; null if its machine has none. */
  ending(run: Versioned): MachineHost | null;
  /**
   * The exact version of a run.
   *
   * @throws DetentError `MIGRATION_NEEDED` if it is not registered; `CHART_CHANGED` if it is another chart here.
   */
  of(run: Versioned): MachineHost;
  /**
   * A declared migration takes precedence over the run's own version, and a newer version over an older one.
   *
   * @throws DetentError `MIGRATION_NEEDED` if the run's version is not registered, and no migration starts from it;
   * `CHART_CHANGED` if the version is another chart here.
   */
  migrationPathOf(run: Versioned): MigrationPath;
}

/** @throws DetentError as {@link MachineHosts.add}. */
export function createMachineHosts(all: Iterable<MachineHost> = []): MachineHosts {
  const machines = new Map<string, MachineHost[]>();
  const add = (hosts: Iterable<MachineHost>) => {
    for (const [id, added] of Map.groupBy(hosts, (host) => host.id)) {
      const versions = [...(machines.get(id) ?? []), ...added].sort((a, b) => b.version - a.version);
      for (const [i, host] of versions.entries()) check(host, versions[i + 1]);
      machines.set(id, versions);
    }
  };
  add(all);
  const versionsOf = (machine: string): readonly [MachineHost, ...MachineHost[]] => {
    const versions = machines.get(machine);
    if (!versions) throw noMachine(machine, machines.keys());
    return versions as [MachineHost, ...MachineHost[]];
  };
  const find = (machine: string, version: number) =>
    machines.get(machine)?.find((host) => host.version === version);
  return {
    add,
    newest: (machine) => versionsOf(machine)[0],
    find,
    like: ({ machine, version }) => find(machine, version) ?? versionsOf(machine)[0],
    ending({ machine, version }) {
      const ends = machines.get(machine)?.[0]?.withoutChart;
      return ends ? { ...ends, version } : null;
    },
    of(run) {
      const host = find(run.machine, run.version);
      if (!host) throw noVersion(run, versionsOf(run.machine));
      return sameChart(host, run);
    },
    migrationPathOf(run) {
      const versions = versionsOf(run.machine);
      for (const host of versions) {
        if (host.version === run.version) return { host: sameChart(host, run), steps: [] };
        const steps = stepsFrom(run.version, host);
        if (steps.length > 0) return { host, steps };
      }
      throw noVersion(run, versions);
    },
  };
}

/**
 * As `migrationPathOf` for a run that gets an event. A run whose chart this program does not have can be ended all the same
 * (`isEnding`).
 */
export function pathFor(
  hosts: MachineHosts,
  run: Versioned,
  event: Pick<EngineEvent, 'type'>,
): MigrationPath & { isEnding: boolean } {
  try {
    return { ...hosts.migrationPathOf(run), isEnding: false };
  } catch (error) {
    const host = hosts.ending(run);
    if (!host?.commands.has(event.type)) throw error;
    return { host, steps: [], isEnding: true };
  }
}

/** The migrations from `version` to that of `host`; empty if there are none. */
export function stepsFrom(version: number, { migrate = [] }: MachineHost): readonly Migration[] {
  const first = migrate.findIndex(({ from }) => from === version);
  return first === -1 ? [] : migrate.slice(first);
}

/** The fingerprints that a run stores: of the chart of its version, and of its earlier versions. */
interface ChartOptions {
  chart?: unknown;
  charts?: JsonObject;
}

/** The options of a run after its migration to a version with this fingerprint. */
export function optionsAfter(run: Pick<RunRow, 'version' | 'options'>, chart?: string): string {
  if (chart === undefined) return run.options;
  const { charts, ...rest } = JSON.parse(run.options) as ChartOptions;
  return JSON.stringify({ ...rest, chart, charts: { ...charts, [run.version]: chartOf(run) } });
}

function sameChart(host: MachineHost, run: Versioned): MachineHost {
  if (host.fingerprint === undefined || chartOf(run) === host.fingerprint) return host;
  throw chartChanged(run, host.withoutChart !== undefined);
}

function chartOf({ version, options }: Pick<RunRow, 'version' | 'options'>): unknown {
  const { chart, charts } = JSON.parse(options) as ChartOptions;
  return isObject(charts) && Object.hasOwn(charts, version) ? charts[version] : chart;
}

const changed = 'CHART_CHANGED';

/** Whether a program cannot move a run because it has another chart of the same version. */
export function isChartChanged(error: unknown): error is DetentError {
  return DetentError.is(error) && error.code === changed;
}

function chartChanged({ id, machine, version }: Versioned, mayEnd: boolean): DetentError {
  return new DetentError(
    changed,
    `the chart of "${machine}", version ${version}, has changed since run ${id} was made, so this program leaves the run as it is; ` +
      'raise the version of the chart and add a migration, or restore the chart' +
      (mayEnd ? `; or end the run, without its chart’s compensation: detent runs cancel ${id}` : ''),
    { details: { runId: id, machine, version } },
  );
}

function check({ id, version, migrate = [] }: MachineHost, next: MachineHost | undefined): void {
  const invalid = (why: string) =>
    new DetentError('INVALID_MACHINE', `machine "${id}" version ${version}: ${why}`);
  if (next?.version === version) throw invalid('is registered twice; raise the version of the newer one');
  const froms = [...migrate.map(({ from }) => from), version];
  if (froms.some((from, i) => i > 0 && from <= (froms[i - 1] ?? 0)))
    throw invalid(`its migrations start from ${froms.slice(0, -1).join(', ')}; each must lead upwards`);
}

function noVersion({ id, machine, version }: Versioned, known: readonly MachineHost[]): DetentError {
  const versions = known.map((host) => host.version).sort((a, b) => a - b);
  return new DetentError(
    'MIGRATION_NEEDED',
    `run ${id} is of version ${version} of machine "${machine}", and this program has ` +
      `${versions.length > 1 ? 'versions' : 'version'} ${versions.join(', ')} and no migration from ${version}; ` +
      `resume or cancel the run with a program that has version ${version}, or register that version or a migration here`,
    { details: { runId: id, machine, version, known: versions } },
  );
}

function noMachine(machine: string, known: Iterable<string>): DetentError {
  return new DetentError(
    'MIGRATION_NEEDED',
    `no machine "${machine}" here; use the program that made the run`,
    { details: { known: [...known] } },
  );
}
