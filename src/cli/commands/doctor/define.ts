import type { DetentCommand } from '../command.ts';

export function defineDoctor(program: DetentCommand): void {
  program
    .command('doctor')
    .summary('check everything that runs need')
    .description(
      'Checks everything that a run needs: Node, the workspace, its configuration and database, the model and its key. It changes nothing. Exit code 0: no check failed. 3: only the configuration, the key or trust failed. 6: only the database failed. 1: anything else failed.',
    )
    .option('--offline', 'do not call the provider')
    .jsonOption()
    .placeOptions()
    .examples('detent doctor', 'detent doctor --json | jq \'.checks[] | select(.status != "ok")\'')
    .performedBy(async () => (await import('./doctor-command.ts')).doctorCommand);
}
