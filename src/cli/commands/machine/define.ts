import { type Command, Option } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples } from '../options.ts';

export function defineMachine(program: Command, performedBy: PerformedBy): void {
  const machine = program.command('machine').summary('the statecharts of Detent');
  const show = machine
    .command('show')
    .argument(
      '[MACHINE]',
      'run (default), the statechart of a run; call, that of one call; or job, that of a scheduled job',
    )
    .summary('draw the statechart of a run, of one call, or of a scheduled job')
    .description(
      'Draws the statechart of a run, that of one call for a workflow, or that of a scheduled job.',
    )
    .addOption(
      new Option('--format <FORMAT>', 'mermaid (default), json or dot').choices(['mermaid', 'json', 'dot']),
    );
  examples(
    show,
    'detent machine show > run.mmd',
    'detent machine show job > job.mmd',
    'detent machine show --format dot | dot -Tsvg > run.svg',
  );
  performedBy(show, async () => (await import('./machine-command.ts')).machineCommand);
}
