import type { Forgetting } from '../../../memory/forget.ts';
import type { Memory } from '../../../memory/memory.ts';
import { type Flags, text, usage } from '../../settings/flags.ts';
import { counted } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { out, printable, say } from '../../terminal/say.ts';
import { askLine, isAttended } from '../../terminal/terminal.ts';
import { withMemory } from './with-memory.ts';

/** `detent memory forget PATH:LINES` or `--run ID`. */
export async function forgetMemory(words: readonly string[], flags: Flags): Promise<number> {
  const forgetting = forgettingOf(words, flags);
  if (!flags.yes && !isAttended()) throw usage('nobody can be asked here; say --yes to forget for good');
  const forgotten = await withMemory(flags, async (memory) => {
    if (!flags.yes && !(await isMeant(memory, forgetting))) return null;
    return memory.forget(forgetting);
  });
  if (forgotten === null) {
    say('nothing was forgotten');
    return exit.cancelled;
  }
  const lines = forgotten.reduce((sum, file) => sum + file.lines.length, 0);
  if (flags.json) out(`${JSON.stringify({ forgotten })}\n`);
  else out(`forgot ${counted(lines, 'line')} of ${counted(forgotten.length, 'file')}\n`);
  return exit.ok;
}

function forgettingOf(words: readonly string[], flags: Flags): Forgetting {
  const run = text(flags, 'run');
  const [place] = words;
  if ((run === undefined) === (place === undefined)) throw usage('name either PATH:LINES or --run ID');
  if (run !== undefined) return { run };
  const [, path, from, to = from] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(place ?? '') ?? [];
  if (path === undefined || Number(from) < 1 || Number(to) < Number(from))
    throw usage(`"${place}" names no lines; it is PATH:12 or PATH:12-15`);
  return { path, from: Number(from), to: Number(to) };
}

async function isMeant(memory: Memory, forgetting: Forgetting): Promise<boolean> {
  let what = '';
  if ('run' in forgetting) what = `all that run ${forgetting.run} has written`;
  else {
    const { path, from, to } = forgetting;
    const { text: lines } = await memory.get(path, { line: from, limit: to - from + 1 });
    out(printable(`${lines}\n`));
    what = `these lines of ${path}`;
  }
  const said = await askLine(printable(`Forget ${what} for good? [y/N] `));
  return 'line' in said && /^y(es)?$/i.test(said.line.trim());
}
