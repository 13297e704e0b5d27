#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

enableCompileCache();

const help = `detent: LLM agents as durable statecharts

  detent run "PROMPT" | -            run an agent; - reads the prompt from stdin
    --session K                      a conversation to carry on       --mode queue|steer|interrupt
    --model PROVIDER/MODEL           --base-url URL  --api chat       --api-key-env NAME
    --system TEXT|@FILE              --tools a,b                      --approve ask|all|none
    --max-steps N  --max-tokens N    --max-retries N                  --timeout 5m
    --json | --jsonl  --quiet        one object, or the log           --workspace DIR  --db FILE
  detent chat [--session K]          a conversation on the terminal
  detent runs list | show RUN        what there is, what happened     [--json]
  detent runs confirm RUN CALL       --approve | --reject [--reason T] | --modify JSON   [--hash H]
  detent runs reconcile RUN CALL     --ran [--result T] | --retry | --skip
  detent runs resume RUN | --all     carry on what was interrupted or decided
  detent machine show                the run statechart               --format mermaid|json|dot

  Without a key or --model, the built-in demo answers. Keys come from the environment (OPENAI_API_KEY, ...).
  Exit codes: 0 completed, 1 failed, 2 usage, 3 configuration or key, 4 not found, 5 waiting for a person,
  6 database locked or unusable, 124 deadline, 130 cancelled.
`;

type Command = (args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./run-command.ts')).runCommand,
  runs: async () => (await import('./runs-command.ts')).runsCommand,
  chat: async () => (await import('./chat-command.ts')).chatCommand,
  machine: async () => (await import('./machine-command.ts')).machineCommand,
};

// A reader that has seen enough (`detent run … | head -1`) is no error, and does not end the run.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2));

async function main([name, ...args]: readonly string[]): Promise<number> {
  try {
    if (name === '--version' || name === '-v') {
      const { version } = await import('./version.ts');
      process.stdout.write(`${version()}\n`);
      return 0;
    }
    if (
      name === undefined ||
      name === 'help' ||
      name === '--help' ||
      name === '-h' ||
      args.includes('--help') ||
      args.includes('-h')
    ) {
      process.stdout.write(help);
      return 0;
    }
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!load) {
      const { usage } = await import('./parse.ts');
      throw usage(`there is no command "${name}"`);
    }
    return await (await load())(args);
  } catch (error) {
    const { messageOf } = await import('../protocol/error.ts');
    const { exitCodeOfError } = await import('./exit-codes.ts');
    process.stderr.write(`detent: ${messageOf(error)}\n`);
    if (process.env.DETENT_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    return exitCodeOfError(error);
  }
}
