import type { Command } from 'commander';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { findPlace, type Offer, type Place } from './find-place.ts';
import { completionTree } from './tree.ts';

/**
 * `detent __complete WORDS…`: prints what may stand at the cursor, after the words of the line. The first line has its kind
 * and what stands before it in the same word; each further line has a word and what it is for. Completion scripts call it
 * while a person types, so it reports no errors.
 *
 * @param program with the commands that the words may mean.
 */
export async function completeCommand(program: Command, words: readonly string[], io: Io): Promise<number> {
  const { offered, head } = findPlace(completionTree(program), words);
  const offers = await offersAt(offered, words, io);
  if (offers === null) return exit.ok;
  io.out(`${offered.kind === 'files' || offered.kind === 'folders' ? offered.kind : 'words'}\t${head}\n`);
  for (const [word, about] of offers) io.out(`${word}\t${about}\n`);
  return exit.ok;
}

/** Null where any text may stand. */
async function offersAt(
  offered: Place['offered'],
  words: readonly string[],
  io: Io,
): Promise<readonly Offer[] | null> {
  switch (offered.kind) {
    case 'anything':
      return null;
    case 'files':
    case 'folders':
      return [];
    case 'words':
      return offered.words;
    case 'choices':
      return offered.choices.map((choice) => [choice, '']);
    default: {
      const { askedOffers } = await import('./offers.ts');
      return askedOffers(offered.kind, words, io);
    }
  }
}
