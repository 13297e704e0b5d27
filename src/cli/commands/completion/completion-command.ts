import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { ownModule } from '../../../files/own-files.ts';
import { type Flags, usage, word } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { completionTree } from './tree.ts';
import { zshScript } from './zsh.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `detent completion bash|zsh|fish`: a script for the shell to read. */
export const completionCommand =
  (program: Command) =>
  async (words: readonly string[], _: Flags, io: Io): Promise<number> => {
    const shell = word(words, 0, 'SHELL');
    const write = Object.hasOwn(scripts, shell) ? scripts[shell as keyof typeof scripts] : null;
    if (write === null) throw usage(`SHELL is ${Object.keys(scripts).join(', ')}, not "${shell}"`);
    io.out(write(completionTree(program), thisProgram()));
    return exit.ok;
  };

/** The path of this program, for a shell without `detent` on its PATH. */
function thisProgram(): string[] {
  return [process.execPath, fileURLToPath(ownModule('src/cli/main'))];
}
