import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, memoryPlaceOptions } from '../options.ts';

export function defineMemory(program: Command, performedBy: PerformedBy): void {
  const memory = program.command('memory').summary('what is remembered between conversations');
  const search = memory
    .command('search')
    .summary('passages that fit words best')
    .description(
      'Searches MEMORY.md and the Markdown under memory/. Several queries are several ways to say the same. Says why when it finds nothing, or may miss something.',
    )
    .argument('<QUERY...>', 'one to four ways to say what is looked for')
    .option('--limit <N>', 'at most so many passages (default: 6)');
  placed(search);
  examples(
    search,
    'detent memory search "which hotel did we book"',
    'detent memory search hotel 酒店 --json',
  );
  performedBy(search, async () => (await import('./search.ts')).searchMemory);

  const get = memory
    .command('get')
    .summary('lines of a memory file')
    .description('Prints lines of MEMORY.md, or of a Markdown file under memory/.')
    .argument('<PATH>', 'as "detent memory search" prints it')
    .option('--line <N>', 'the first line (default: 1)')
    .option('--limit <N>', 'at most so many lines (default: 100)');
  placed(get);
  examples(get, 'detent memory get memory/2026-03-05.md --line 12 --limit 20');
  performedBy(get, async () => (await import('./get.ts')).getMemory);

  const write = memory
    .command('write')
    .summary('remember lines')
    .description('Adds lines of yours to the memory file of the day, as if you had written them there.')
    .argument('<LINE...>', 'one fact, decision or task each')
    .option('--long-term', 'to memory/MEMORY.md, for what stays true');
  placed(write);
  examples(write, 'detent memory write "The user is called Ada." --long-term');
  performedBy(write, async () => (await import('./write.ts')).writeMemory);

  const status = memory
    .command('status')
    .summary('how much is remembered, and what is left out')
    .description('How many files are indexed, where the index is, and which files are left out and why.');
  placed(status);
  examples(status, 'detent memory status');
  performedBy(status, async () => (await import('./status.ts')).memoryStatus);

  const index = memory
    .command('index')
    .summary('bring the index up to the files')
    .description(
      'Brings the index up to the files, which every search does, too. The index can be deleted at any time: it is made again.',
    )
    .option('--rebuild', 'make it from nothing; until that is done the old one is searched');
  placed(index);
  examples(index, 'detent memory index --rebuild');
  performedBy(index, async () => (await import('./status.ts')).indexMemory);

  const forget = memory
    .command('forget')
    .summary('take lines out of memory files for good')
    .description(
      'Takes lines out of a memory file, or out of all of them what a run has written. Asks before it does.',
    )
    .argument('[PATH:LINES]', 'a line (memory/2026-03-05.md:12) or several (…:12-15)')
    .option('--run <ID>', 'instead of lines: all that this run has written')
    .option('--yes', 'do not ask; needed where nobody can be asked');
  placed(forget);
  examples(forget, 'detent memory forget memory/2026-03-05.md:12', 'detent memory forget --run run_x1 --yes');
  performedBy(forget, async () => (await import('./forget.ts')).forgetMemory);

  const evaluate = memory
    .command('eval')
    .summary('measure the search on notes of your own')
    .description(
      'Measures the search on a folder of Markdown with a queries.jsonl, one {"query": "…", "relevant": [{"path": "notes.md", "line": 3}]} a line ("line" where it matters), or on several such folders in one. The index for it is temporary.',
    )
    .argument('<DIR>', 'the folder')
    .option('--typos', 'misspell the two longest words of each question');
  placed(evaluate);
  examples(evaluate, 'detent memory eval notes', 'detent memory eval notes --typos --json');
  performedBy(evaluate, async () => (await import('./eval.ts')).evaluateMemory);
}

/** Memory has no part in the database. */
function placed(command: Command): void {
  memoryPlaceOptions(jsonOption(command));
}
