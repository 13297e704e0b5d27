import { fileURLToPath } from 'node:url';
import { Argument } from 'commander';
import { ownModule } from '../../../text/files.ts';
import { type Flags, usage, word } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import type { DetentCommand } from '../command.ts';
import { completionScripts } from './scripts.ts';

export function defineCompletion(program: DetentCommand): void {
  program
    .command('completion')
    .summary('complete commands, flags and ids in a shell')
    .description(
      'Prints a script that lets the shell complete commands, flags, their values, files, and the ids of runs and sessions.',
    )
    .addArgument(new Argument('<SHELL>', 'which one').choices(['bash', 'zsh', 'fish']))
    .examples(
      'source <(detent completion bash)      # in ~/.bashrc',
      'source <(detent completion zsh)       # in ~/.zshrc, behind compinit',
      'detent completion fish | source       # in ~/.config/fish/config.fish',
    )
    .performedBy(async () => printScript);
}

/** `detent completion bash|zsh|fish`: a script for the shell to read. */
async function printScript(words: readonly string[], _: Flags, io: Io): Promise<number> {
  const shell = word(words, 0, 'SHELL');
  const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
  if (!script) throw usage(`SHELL is ${Object.keys(completionScripts).join(', ')}, not "${shell}"`);
  io.out(script(thisProgram()));
  return exit.ok;
}

/** The path of this program, for a shell without `detent` on its PATH. */
function thisProgram(): string[] {
  return [process.execPath, fileURLToPath(ownModule('src/cli/main'))];
}
