import type { RunRow } from '../../../store/rows.ts';
import { workflowId } from '../../../store/stored-run.ts';
import { counted } from '../../../text/wording.ts';
import { checkWorkflow, type Finding } from '../../../workflow/check.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import type { MachineFile } from '../../settings/machine-files.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { changedRuns } from './changed-runs.ts';
import { fileOf } from './show.ts';

interface Checked {
  file: string;
  id: string | null;
  version: number | null;
  /** Why it is not used; null when it is. */
  reason: string | null;
  findings: Finding[];
  /** Runs that stand still because the chart was edited and kept its version. */
  changedRuns: string[];
}

/** `detent workflow check [WORKFLOW]`. */
export async function checkWorkflows(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const [named] = words;
  const { machines, database } = await loadOptions(flags, io);
  const files = (await machines?.()) ?? [];
  const chosen = named === undefined ? files : [fileOf(files, named)];
  const workflows = chosen.flatMap(({ workflow, reason }) => (workflow && reason === null ? [workflow] : []));
  const rows = workflows.length === 0 ? [] : await changedRuns(workflows, database.file);
  const checked = chosen.map((file) => check(file, rows));
  if (flags.json) io.json(checked);
  else if (checked.length === 0) io.say('there is nothing to check: machines/ has no file *.machine.ts');
  else io.out(io.asTyped(checked.map(checkedText).join('')));
  return checked.some(({ reason }) => reason !== null) ? exit.failed : exit.ok;
}

function check({ name, workflow, reason }: MachineFile, changed: readonly RunRow[]): Checked {
  const findings = workflow ? checkWorkflow(workflow) : [];
  const isFaulty = findings.some(({ level }) => level === 'error');
  return {
    file: name,
    id: workflow?.id ?? null,
    version: workflow?.version ?? null,
    // With more time than at start, the check may find more.
    reason: reason ?? (isFaulty ? 'it cannot run durably' : null),
    findings,
    changedRuns: changed.flatMap((row) => (workflow && workflowId(row) === workflow.id ? [row.id] : [])),
  };
}

function checkedText({ file, id, version, reason, findings, changedRuns }: Checked): string {
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
    ...(changedRuns.length > 0 ? describeChanged(changedRuns) : []),
    '',
  ].join('\n');
}

function describeFinding({ level, code, state, message, remedy }: Finding): string[] {
  return [`  ${level} ${code} in ${state}`, `    ${message}`, `    → ${remedy}`];
}

function describeChanged(runs: readonly string[]): string[] {
  return [
    `  ${counted(runs.length, 'run')} of this chart ${runs.length === 1 ? 'stands' : 'stand'} still, because it was edited and kept its version (CHART_CHANGED): ${runs.slice(0, maxNamed).join(', ')}${runs.length > maxNamed ? ', …' : ''}`,
    `    → restore the chart; or raise its version, and give workflow() the old chart as \`earlier\`, or a migration; see: detent runs why ${runs[0]}`,
  ];
}

const maxNamed = 5;
