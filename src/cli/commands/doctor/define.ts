import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions } from '../options.ts';

export function defineDoctor(program: Command, performedBy: PerformedBy): void {
  const command = program
    .command('doctor')
    .summary('look for what keeps runs from working')
    .description(
      'Looks at all that a run needs: Node, the workspace, its configuration and database, the model and its key. It changes nothing. It ends with 0 when nothing failed, with 3 when only the configuration or the key did, with 6 when only the database did, else with 1.',
    )
    .option('--offline', 'do not ask the provider');
  placeOptions(jsonOption(command));
  examples(command, 'detent doctor', 'detent doctor --json | jq \'.checks[] | select(.status != "ok")\'');
  performedBy(command, async () => (await import('./doctor-command.ts')).doctorCommand);
}
