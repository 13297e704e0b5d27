import type { DetentCommand } from '../command.ts';

export function defineMemory(program: DetentCommand): void {
  const memory = program.command('memory').summary('the memory files that conversations share');

  memory
    .command('search')
    .summary('the best matching passages for a query')
    .description(
      'Searches MEMORY.md and the Markdown under memory/. Give several queries to word one question in several ways. If the command finds nothing, or may miss something, it says why.',
    )
    .argument('<QUERY...>', 'one to four wordings of the question')
    .option('--limit <N>', 'at most this many passages (default: 6)')
    .with(placed)
    .serverOptions()
    .examples('detent memory search "which hotel did we book"', 'detent memory search hotel 酒店 --json')
    .performedBy(async () => (await import('./read.ts')).searchMemory);

  memory
    .command('get')
    .summary('lines of a memory file')
    .description('Prints lines of MEMORY.md, or of a Markdown file under memory/.')
    .argument('<PATH>', 'as "detent memory search" prints it')
    .option('--line <N>', 'the first line (default: 1)')
    .option('--limit <N>', 'at most this many lines (default: 100)')
    .with(placed)
    .serverOptions()
    .examples('detent memory get memory/2026-03-05.md --line 12 --limit 20')
    .performedBy(async () => (await import('./read.ts')).getMemory);

  memory
    .command('write')
    .summary('remember lines')
    .description('Adds your lines to the memory file of the day, as if you had edited the file.')
    .argument('<LINE...>', 'one fact, decision or task each')
    .option('--long-term', 'to memory/MEMORY.md, for facts that stay true')
    .with(placed)
    .examples('detent memory write "The user is called Ada." --long-term')
    .performedBy(async () => (await import('./change.ts')).writeMemory);

  memory
    .command('status')
    .summary('indexed files, and skipped ones')
    .description('How many files are indexed, where the index is, and which files are skipped and why.')
    .with(placed)
    .examples('detent memory status')
    .performedBy(async () => (await import('./index-command.ts')).memoryStatus);

  memory
    .command('index')
    .summary('update the index from the files')
    .description(
      'Updates the index from the files, as every search does, too. You may delete the index at any time: the next command builds it again.',
    )
    .option('--rebuild', 'build it from scratch; searches use the old one until then')
    .with(placed)
    .examples('detent memory index --rebuild')
    .performedBy(async () => (await import('./index-command.ts')).indexMemory);

  memory
    .command('forget')
    .summary('delete lines from memory files for good')
    .description(
      'Deletes lines from a memory file, or from all of them the lines that a run wrote. Asks first.',
    )
    .argument('[PATH:LINES]', 'a line (memory/2026-03-05.md:12) or several (…:12-15)')
    .option('--run <ID>', 'instead of lines: every line that this run wrote')
    .option('--yes', 'do not ask; required without a terminal')
    .with(placed)
    .examples('detent memory forget memory/2026-03-05.md:12', 'detent memory forget --run run_x1 --yes')
    .performedBy(async () => (await import('./change.ts')).forgetMemory);

  memory
    .command('eval')
    .summary('measure the search on your own notes')
    .description(
      'Measures how well the search finds what it should, in a folder of Markdown and a queries.jsonl. Each line of that file is one question: {"query": "…", "relevant": [{"path": "notes.md", "line": 3}]}; "line" may be left out. It also takes a folder of such folders. The index is temporary.',
    )
    .argument('<DIR>', 'the folder')
    .option('--typos', 'misspell the two longest words of each question')
    .with(placed)
    .examples('detent memory eval notes', 'detent memory eval notes --typos --json')
    .performedBy(async () => (await import('./index-command.ts')).evaluateMemory);
}

/** Memory needs no database, so --db is not among its options. */
function placed(command: DetentCommand): DetentCommand {
  return command.jsonOption().memoryPlaceOptions();
}
