import type { WorkflowSummary } from '../../../index.ts';
import { summaryOf } from '../../../runtime/api/workflow-operations.ts';
import { withDetent } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { type Column, clipped, listed } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

type Listed = WorkflowSummary & { file?: string };

/** `detent workflow list`. */
export async function listWorkflows(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const options = await loadOptions(flags, io);
  const files = (await options.machines?.()) ?? [];
  const workflows: Listed[] = options.server
    ? await withDetent(options, (detent) => detent.workflows.list())
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
