import { Argument, type Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples } from '../options.ts';

export function defineCompletion(program: Command, performedBy: PerformedBy): void {
  const command = program
    .command('completion')
    .summary('complete commands, flags and ids in a shell')
    .description(
      'Prints a script that lets the shell complete commands, flags, their values, files, and the ids of runs and sessions.',
    )
    .addArgument(new Argument('<SHELL>', 'which one').choices(['bash', 'zsh', 'fish']));
  examples(
    command,
    'source <(detent completion bash)      # in ~/.bashrc',
    'source <(detent completion zsh)       # in ~/.zshrc, behind compinit',
    'detent completion fish | source       # in ~/.config/fish/config.fish',
  );
  performedBy(command, async () => (await import('./completion-command.ts')).completionCommand(program));
}
