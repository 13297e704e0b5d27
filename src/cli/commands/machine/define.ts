import { Option } from 'commander';
import type { DetentCommand } from '../command.ts';

export function defineMachine(program: DetentCommand): void {
  const machine = program.command('machine').summary('the statecharts of Detent');

  machine
    .command('show')
    .argument(
      '[MACHINE|RUN]',
      'run (default), the statechart of a run; call, that of one call; job, that of a scheduled job; takeover, that of a conversation that staff have taken over; or a run (its id, or "last")',
    )
    .summary('draw a statechart: of runs, or of one run with its current state')
    .description(
      'Draws the statechart of a run, of one call for a workflow, of a scheduled job, or of a conversation that staff have taken over. For a RUN it draws the chart of that run, also of a workflow, and marks the current states.',
    )
    .addOption(
      new Option('--format <FORMAT>', 'mermaid (default), json or dot').choices(['mermaid', 'json', 'dot']),
    )
    .tenantOption()
    .servedPlaceOptions()
    .examples(
      'detent machine show > run.mmd',
      'detent machine show job > job.mmd',
      'detent machine show last > last.mmd',
      'detent machine show --format dot | dot -Tsvg > run.svg',
    )
    .performedBy(async () => (await import('./machine-command.ts')).machineCommand);
}
