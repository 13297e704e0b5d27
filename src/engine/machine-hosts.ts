import { DetentError } from '../protocol/error.ts';
import type { RunRow } from '../store/rows.ts';
import { noMachine } from './errors.ts';
import type { MachineHost, Migration } from './machine-host.ts';

/** How this program drives a stored run: the host, and the migrations that must come first. */
export interface MigrationPath {
  host: MachineHost;
  /** Empty for a run that continues under its own version. */
  steps: readonly Migration[];
}

type Versioned = Pick<RunRow, 'id' | 'machine' | 'version'>;

/** The machines of a program, each in one version or several. */
export interface MachineHosts {
  /** The version that new runs use. @throws DetentError `MIGRATION_NEEDED` if the machine is not registered. */
  newest(machine: string): MachineHost;
  find(machine: string, version: number): MachineHost | undefined;
  /** The exact version of a run. @throws DetentError `MIGRATION_NEEDED` if it is not registered. */
  of(run: Versioned): MachineHost;
  /**
   * A declared migration takes precedence over the run's own version, and a newer version over an older one.
   *
   * @throws DetentError `MIGRATION_NEEDED` if the run's version is not registered, and no migration starts from it.
   */
  migrationPathOf(run: Versioned): MigrationPath;
}

/**
 * Registers machines.
 *
 * @throws DetentError `INVALID_MACHINE` for two of one version, or a migration that does not lead upwards.
 */
export function createMachineHosts(all: Iterable<MachineHost>): MachineHosts {
  const machines = Map.groupBy(all, ({ id }) => id);
  for (const versions of machines.values()) {
    versions.sort((a, b) => b.version - a.version);
    for (const [i, host] of versions.entries()) check(host, versions[i + 1]);
  }
  const versionsOf = (machine: string): readonly [MachineHost, ...MachineHost[]] => {
    const versions = machines.get(machine);
    if (!versions) throw noMachine(machine, machines.keys());
    return versions as [MachineHost, ...MachineHost[]];
  };
  const find = (machine: string, version: number) =>
    machines.get(machine)?.find((host) => host.version === version);
  return {
    newest: (machine) => versionsOf(machine)[0],
    find,
    of(run) {
      const host = find(run.machine, run.version);
      if (!host) throw noVersion(run, versionsOf(run.machine));
      return host;
    },
    migrationPathOf(run) {
      const versions = versionsOf(run.machine);
      for (const host of versions) {
        if (host.version === run.version) return { host, steps: [] };
        const steps = stepsFrom(run.version, host);
        if (steps.length > 0) return { host, steps };
      }
      throw noVersion(run, versions);
    },
  };
}

/** The migrations from `version` to that of `host`; empty if there are none. */
export function stepsFrom(version: number, { migrate = [] }: MachineHost): readonly Migration[] {
  const first = migrate.findIndex(({ from }) => from === version);
  return first === -1 ? [] : migrate.slice(first);
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
