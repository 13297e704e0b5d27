import { agentNames } from '../../../runtime/config.ts';
import { workflowId } from '../../../store/stored-run.ts';
import { counted } from '../../../text/wording.ts';
import { checkWorkflow, type Finding } from '../../../workflow/check.ts';
import { type ChartService, servicesOf } from '../../../workflow/facade.ts';
import type { Workflow } from '../../../workflow/workflow.ts';
import { withDetent } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { type CliOptions, loadOptions } from '../../settings/load-options.ts';
import type { MachineFile } from '../../settings/machine-files.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { fileOf } from './show.ts';
import { type StillRun, stillRuns } from './still-runs.ts';

interface Checked {
  file: string;
  id: string | null;
  version: number | null;
  /** Why it is not used; null when it is. */
  reason: string | null;
  findings: Finding[];
  /** Runs that stand still because the chart was edited and kept its version. */
  changedRuns: string[];
  /** Runs that stand still because they are of a version from which nothing leads on. */
  unmigratedRuns: string[];
}

/** `detent workflow check [WORKFLOW]`. */
export async function checkWorkflows(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const [named] = words;
  const options = await loadOptions(flags, io);
  const { database } = options;
  const files = (await options.machines?.()) ?? [];
  const chosen = named === undefined ? files : [fileOf(files, named)];
  const workflows = chosen.flatMap(({ workflow, reason }) => (workflow && reason === null ? [workflow] : []));
  const rows = workflows.length === 0 ? [] : await stillRuns(workflows, database);
  const known = await knownNames(chosen, options);
  const checked = chosen.map((file) => check(file, rows, known));
  if (flags.json) io.json(checked);
  else if (checked.length === 0) io.say('there is nothing to check: machines/ has no file *.machine.ts');
  else io.out(io.asTyped(checked.map(checkedText).join('')));
  return checked.some(({ reason }) => reason !== null) ? exit.failed : exit.ok;
}

type KnownNames = NonNullable<Parameters<typeof checkWorkflow>[2]>;

/** The agents and tools of this folder. Tools are listed only for a chart that calls one: their servers would start. */
async function knownNames(files: readonly MachineFile[], options: CliOptions): Promise<KnownNames> {
  const agents = agentNames(options.agents);
  const charts = files.flatMap(({ workflow }) => workflow?.chart ?? []);
  const callsTool = charts.some((chart) => servicesBelow(chart).some(({ kind }) => kind === 'tool'));
  return { agents, tools: callsTool ? await toolNames(options) : null };
}

function servicesBelow(chart: Workflow['chart'], seen = new Set<Workflow['chart']>()): ChartService[] {
  if (seen.has(chart)) return [];
  seen.add(chart);
  return [...servicesOf(chart).values()].flatMap((service) =>
    service.kind === 'workflow' ? servicesBelow(service.chart, seen) : [service],
  );
}

async function toolNames(options: CliOptions): Promise<string[] | null> {
  return withDetent({ ...options, store: 'in-process' }, async ({ tools }) => {
    const names = (await tools.describe()).map(({ name }) => name);
    const isWhole = (await tools.servers()).every(({ reason }) => reason === null);
    return isWhole ? names : null;
  });
}

function check(
  { name, workflow, reason }: MachineFile,
  still: readonly StillRun[],
  known: KnownNames,
): Checked {
  const findings = workflow ? checkWorkflow(workflow, {}, known) : [];
  const own = still.filter(({ row }) => workflowId(row) === workflow?.id);
  const idsOf = (wanted: StillRun['why']) => own.flatMap(({ row, why }) => (why === wanted ? [row.id] : []));
  const isFaulty = findings.some(({ level }) => level === 'error');
  return {
    file: name,
    id: workflow?.id ?? null,
    version: workflow?.version ?? null,
    // With more time than at start, the check may find more.
    reason: reason ?? (isFaulty ? 'it cannot run durably' : null),
    findings,
    changedRuns: idsOf('CHART_CHANGED'),
    unmigratedRuns: idsOf('MIGRATION_NEEDED'),
  };
}

function checkedText(checked: Checked): string {
  const { file, id, version, reason, findings, changedRuns, unmigratedRuns } = checked;
  const errors = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.length - errors;
  const counts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  const title = `${file}${id === null ? '' : `  ${id}, version ${version}`}`;
  // The findings say it at length.
  const says = errors > 0 ? counts.join(', ') : (reason ?? ['ok', ...counts].join(', '));
  return [
    `${title}: ${says}`,
    ...findings.flatMap(describeFinding),
    ...describeStill(
      changedRuns,
      'this chart',
      'it was edited and kept its version (CHART_CHANGED)',
      'restore the chart; or raise its version, and',
    ),
    ...describeStill(
      unmigratedRuns,
      'an earlier version',
      'this one has no migration for them (MIGRATION_NEEDED)',
      '',
    ),
    '',
  ].join('\n');
}

function describeFinding({ level, code, state, message, remedy }: Finding): string[] {
  return [`  ${level} ${code} in ${state}`, `    ${message}`, `    → ${remedy}`];
}

function describeStill(runs: readonly string[], of: string, why: string, instead: string): string[] {
  if (runs.length === 0) return [];
  const named = `${runs.slice(0, maxNamed).join(', ')}${runs.length > maxNamed ? ', …' : ''}`;
  return [
    `  ${counted(runs.length, 'run')} of ${of} cannot continue, because ${why}: ${named}`,
    `    → ${[instead, 'give workflow() the old chart as `earlier`, or a migration; see: detent runs why'].join(' ').trim()} ${runs[0]}`,
  ];
}

const maxNamed = 5;
