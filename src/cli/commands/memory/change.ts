import type { Forgetting, Memory } from '../../../memory/memory.ts';
import { counted } from '../../../text/wording.ts';
import { type Flags, text, usage } from '../../settings/flags.ts';
import { isYes } from '../../terminal/ask-yes.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { withMemory } from './read.ts';

/** `detent memory write LINE…`. */
export async function writeMemory(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const lines = words.filter((line) => line.trim() !== '').map((text) => ({ text, isUntrusted: false }));
  if (lines.length === 0) throw usage('there is nothing to write');
  const how = {
    at: Date.now(),
    key: null,
    to: flags['long-term'] ? ('long_term' as const) : ('day' as const),
  };
  const written = await withMemory(flags, io, (memory) => memory.write(lines, how));
  if (flags.json) io.json(written);
  else io.out(`wrote ${counted(written.lines, 'line')} to ${written.path}\n`);
  return exit.ok;
}

/** `detent memory forget PATH:LINES` or `--run ID`. */
export async function forgetMemory(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const forgetting = forgettingOf(words, flags);
  if (!flags.yes && !io.isAttended())
    throw usage('there is no terminal to ask on; confirm with --yes to forget for good');
  const forgotten = await withMemory(flags, io, async (memory) => {
    if (!flags.yes && !(await isMeant(memory, forgetting, io))) return null;
    return memory.forget(forgetting);
  });
  if (forgotten === null) {
    io.say('nothing was forgotten');
    return exit.cancelled;
  }
  const lines = forgotten.reduce((sum, file) => sum + file.lines.length, 0);
  if (flags.json) io.json({ forgotten });
  else io.out(`forgot ${counted(lines, 'line')} of ${counted(forgotten.length, 'file')}\n`);
  return exit.ok;
}

function forgettingOf(words: readonly string[], flags: Flags): Forgetting {
  const run = text(flags, 'run');
  const [place] = words;
  if ((run === undefined) === (place === undefined)) throw usage('name either PATH:LINES or --run ID');
  if (run !== undefined) return { run };
  const [, path, from, to = from] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(place ?? '') ?? [];
  if (path === undefined || Number(from) < 1 || Number(to) < Number(from))
    throw usage(`"${place}" names no lines; write PATH:12 or PATH:12-15`);
  return { path, from: Number(from), to: Number(to) };
}

async function isMeant(memory: Memory, forgetting: Forgetting, io: Io): Promise<boolean> {
  let what = '';
  if ('run' in forgetting) what = `all that run ${forgetting.run} has written`;
  else {
    const { path, from, to } = forgetting;
    const { text: lines } = await memory.get(path, { line: from, limit: to - from + 1 });
    io.out(`${lines}\n`);
    what = `these lines of ${path}`;
  }
  return isYes(`Forget ${what} for good?`, io);
}
