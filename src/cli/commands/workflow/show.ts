import type { WorkflowSummary } from '../../../index.ts';
import { DetentError } from '../../../protocol/error.ts';
import { summaryOf } from '../../../runtime/api.ts';
import { didYouMean } from '../../../text/wording.ts';
import { machinesFolder } from '../../../trust/code.ts';
import type { Workflow } from '../../../workflow/workflow.ts';
import { withPort } from '../../drive/with-detent.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import type { MachineFile } from '../../settings/machine-files.ts';
import { type Column, clipped, listed } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

type Listed = WorkflowSummary & { file?: string };

/** `detent workflow list`. */
export async function listWorkflows(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const options = await loadOptions(flags, io);
  const files = (await options.machines?.()) ?? [];
  const workflows: Listed[] = options.server
    ? (await withPort(options, ({ ask }) => ask('workflow.list', {}))).workflows
    : files.flatMap(({ name, workflow, reason }) =>
        workflow && reason === null ? [{ ...summaryOf(workflow), file: name }] : [],
      );
  const unused = files.flatMap(({ name, reason }) => (reason === null ? [] : [{ file: name, reason }]));
  if (flags.json) {
    io.json({ workflows, unused });
    return exit.ok;
  }
  if (workflows.length > 0) io.out(listed(workflows, columns, io.stdout));
  else io.say(noWorkflow);
  for (const { file, reason } of unused) io.say(`detent: ${file} is not used: ${reason}`);
  return exit.ok;
}

const noWorkflow =
  'there are no workflows here: a module machines/NAME.machine.ts exports one with "export default workflow(chart)"';

const columns: readonly Column<Listed>[] = [
  { title: 'workflow', cell: ({ id }) => id, min: 16 },
  { title: 'version', cell: ({ version }) => String(version) },
  { title: 'file', cell: ({ file = '' }) => file, min: 12, rank: 1, unless: '' },
  { title: 'what it does', cell: ({ description }) => clipped(description, 200), min: 16 },
];

interface Shown extends WorkflowSummary {
  file?: string;
  /** Paths of all states, in the order of the chart. */
  states?: string[];
}

/** `detent workflow show WORKFLOW`. */
export async function showWorkflow(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = word(words, 0, 'WORKFLOW');
  const options = await loadOptions(flags, io);
  const shown: Shown = options.server
    ? await withPort(options, ({ ask }) => ask('workflow.get', { workflow: id }))
    : local(usableFile((await options.machines?.()) ?? [], id));
  if (flags.json) io.json(shown);
  else io.out(workflowText(shown));
  return exit.ok;
}

function local({ name, workflow }: { name: string; workflow: Workflow | null }): Shown {
  const { chart } = workflow as Workflow;
  return { ...summaryOf(workflow as Workflow), file: name, states: pathsOf(chart.root) };
}

type Node = Workflow['chart']['root'];

function pathsOf(node: Node): string[] {
  const own =
    node.path.length === 0 ? [] : [`${node.path.join('.')}${node.type === 'final' ? ' (final)' : ''}`];
  return [...own, ...(Object.values(node.states) as Node[]).flatMap(pathsOf)];
}

function workflowText({ id, version, hash, description, events, services, file, states }: Shown): string {
  return [
    `workflow  ${id}, version ${version}`,
    ...(description === '' ? [] : [`about     ${description}`]),
    ...(file === undefined ? [] : [`file      ${file}`]),
    `hash      ${hash}`,
    ...(states ?? []).map((path) => `state     ${path}`),
    ...services.map(({ id: own, src, kind }) => `service   ${own}: ${kind}${own === src ? '' : ` ${src}`}`),
    ...events.map((type) => `event     ${type}`),
    '',
  ].join('\n');
}

/**
 * The file that a person means, by the id of its chart or its path.
 *
 * @throws DetentError `UNKNOWN_WORKFLOW`.
 */
export function fileOf(files: readonly MachineFile[], named: string): MachineFile {
  const path = named.replace(/^\.\//, '');
  const ofId = files.filter(({ workflow }) => workflow?.id === named);
  // A file without a workflow has no id: people name it by its file.
  const unusable = files.filter(({ workflow }) => workflow === null);
  const found =
    ofId.find(({ reason }) => reason === null) ??
    ofId[0] ??
    files.find(({ name }) => name === path) ??
    unusable.find(({ name }) => name === `${machinesFolder}/${named}.machine.ts`);
  if (found) return found;
  const known = [...new Set(files.flatMap(({ workflow }) => workflow?.id ?? []))];
  const meant = didYouMean(named, known) || `; there are: ${known.join(', ') || 'none'}`;
  const unread = unusable.map(({ name }) => name).join(', ');
  const hint = unread === '' ? '' : ` (${unread} cannot be used: see "detent workflow list")`;
  throw new DetentError(
    'UNKNOWN_WORKFLOW',
    `there is no workflow ${JSON.stringify(named)} in machines/${meant}${hint}`,
    { details: { id: named, known } },
  );
}

/** The file of a workflow that can be run. @throws DetentError `UNKNOWN_WORKFLOW`, `INVALID_WORKFLOW`. */
export function usableFile(files: readonly MachineFile[], id: string): MachineFile {
  const file = fileOf(files, id);
  if (file.reason === null) return file;
  throw new DetentError('INVALID_WORKFLOW', `${file.name} is not used: ${file.reason}`, {
    details: { file: file.name },
  });
}
