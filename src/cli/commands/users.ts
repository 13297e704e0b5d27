import type { MethodOutput } from '../../protocol/methods.ts';
import { counted } from '../../text/wording.ts';
import { ofOthers, readingPort, withPort } from '../drive/with-detent.ts';
import type { Port } from '../port/port.ts';
import { type Flags, word } from '../settings/flags.ts';
import { type CliOptions, loadOptions } from '../settings/load-options.ts';
import { isSureToDelete } from '../terminal/ask-yes.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { shellWord } from '../terminal/shell-word.ts';
import type { DetentCommand } from './command.ts';
import { tracesLeft } from './traces.ts';

export function defineUsers(program: DetentCommand): void {
  const users = program.command('users').summary('the data of a user: export it, delete it');

  users
    .command('export')
    .summary('all data of a user, as JSON lines')
    .description(
      'Prints all data of a user: conversations, memory, uploads, jobs, tokens without their secrets, and costs. Each line is JSON with a type; the last one is "end", with the number of lines.',
    )
    .argument('<USER>', 'the name of the user in tokens and sessions')
    .tenantOption()
    .servedPlaceOptions()
    .examples('detent users export ann > ann.jsonl')
    .performedBy(async () => exportUser);

  users
    .command('forget')
    .summary('delete all that is kept of a user')
    .description(
      'Cancels the runs of a user, deletes all their data, and rewrites the files, so that no trace is left in them. Does not change backups. Asks first. If the command was killed, type it again: it continues.',
    )
    .argument('<USER>', 'the name of the user in tokens and sessions')
    .option('--yes', 'do not ask; required without a terminal')
    .jsonOption()
    .tenantOption()
    .servedPlaceOptions()
    .examples('detent users forget ann --yes')
    .performedBy(async () => forgetUser);
}

async function exportUser(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const userId = word(words, 0, 'USER');
  const options = await loadOptions(flags, io);
  let count = 0;
  await readingPort(options, async ({ ask }) => {
    for (let after: number | null = 0; after !== null && !io.stdout.isClosed; ) {
      const page: MethodOutput<'users.export'> = await ask('users.export', {
        userId,
        after,
        maxBytes: 8_000_000,
      });
      for (const line of page.lines) if (!io.stdout.write(`${line}\n`)) await io.stdout.drained();
      count += page.lines.length;
      after = page.next;
    }
  });
  if (count === emptyLines) await sayUnknown(options, userId, 'export', io);
  return exit.ok;
}

/** The export of a user about whom nothing is stored has its first and its last line. */
const emptyLines = 2;

async function isUnknown(ask: Port['ask'], userId: string): Promise<boolean> {
  const { lines, next } = await ask('users.export', { userId, after: emptyLines - 1, maxBytes: 1 });
  return next === null && lines.length === 1;
}

async function sayUnknown(options: CliOptions, userId: string, verb: string, io: Io): Promise<void> {
  const nothing = `tenant ${options.tenant ?? 1} stores nothing about "${userId}"`;
  const command = `users ${verb} ${shellWord(userId)}`;
  io.say((await ofOthers(options, `${nothing}; users of another tenant`, command)) ?? nothing);
}

async function forgetUser(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const userId = word(words, 0, 'USER');
  const options = await loadOptions(flags, io);
  const question = () => `Delete all that is kept of user "${userId}" for good?`;
  if (!flags.yes && !(await isSureToDelete(question, io))) return exit.cancelled;
  const { gone, wasUnknown } = await withPort(options, async ({ ask }) => ({
    wasUnknown: await isUnknown(ask, userId),
    gone: await ask('users.forget', { userId }),
  }));
  const { sessions, runs, messages, erased, told } = gone;
  if (flags.json) io.json({ userId, ...gone });
  else
    io.out(
      `deleted: ${counted(sessions, 'session')}, ${counted(runs, 'run')}, ${counted(messages, 'message')}, and memory, uploads, jobs and tokens\n`,
    );
  if (wasUnknown) await sayUnknown(options, userId, 'forget', io);
  if (!erased) io.say(tracesLeft(options, '; repeat the command when it has closed it'));
  if (!told) io.say('a program of yours that has onForget calls it within a minute, or at its next start');
  return exit.ok;
}
