import { type DetentCommand, repeatable } from '../command.ts';

export function defineServe(program: DetentCommand): void {
  program
    .command('serve')
    .summary('serve the web page, and the workspace to clients over HTTP and WebSockets')
    .description(
      'Serves the web page, and the runs and sessions of the workspace to clients over HTTP and WebSockets, resumes its unfinished runs, and runs its jobs at their times, with a line on stdout for each event. Every request for data needs a token. Other commands still work in the same workspace. SIGTERM and Ctrl-C stop it: it refuses new runs, and current runs get 10 s to finish; the next start resumes the others. A worker hands its runs to other workers at once. A second signal exits at once.',
    )
    .option('--port <N>', 'the port; 0 for any free one (default: 7420)')
    .option('--any-port', 'take another free port if that one is taken, and say so')
    .option('--host <ADDRESS>', 'the address to listen at (default: 127.0.0.1)')
    .addOption(repeatable('--allow-host <NAME>', 'another host name that clients may use, besides --host'))
    .addOption(
      repeatable('--allow-origin <ORIGIN>', 'an origin whose pages may use it: https://shop.example'),
    )
    .option(
      '--role <ROLE>',
      'all (default); with PostgreSQL also gateway (serves clients, drives no runs) or worker (drives runs, answers only /healthz and /readyz)',
    )
    .option('--no-schedule', 'do not run the jobs of "detent cron"; another process does')
    .optionsGroup('Model:')
    .option('--model <PROVIDER/MODEL>', 'the model of agents that name none (default: DETENT_MODEL)')
    .addressOptions()
    .jsonOption()
    .placeOptions()
    .examples(
      'detent serve',
      'detent serve --port 0 --json',
      'detent serve --role worker --port 7421',
      'detent serve --host 0.0.0.0 --allow-host agent.example --allow-origin https://shop.example',
    )
    .performedBy(async () => (await import('./serve-command.ts')).serveCommand);
}
