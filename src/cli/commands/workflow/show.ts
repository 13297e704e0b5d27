import type { WorkflowSummary } from '../../../index.ts';
import { summaryOf } from '../../../runtime/api/workflow-operations.ts';
import type { Workflow } from '../../../workflow/workflow.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { usableFile } from './find-workflow.ts';

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
    ? await withDetent(options, (detent) => detent.workflows.get(id))
    : local(usableFile((await options.machines?.()) ?? [], id));
  if (flags.json) io.json(shown);
  else io.out(describe(shown));
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

function describe({ id, version, hash, description, events, services, file, states }: Shown): string {
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
