import { existsSync, realpathSync } from 'node:fs';
import { DetentError } from '../../protocol/error.ts';
import { isOwned, revokeTrust, TrustRecords, trustedFolders } from '../../trust/agreements.ts';
import { judgeFolder, type Verdict } from '../../trust/judge-folder.ts';
import { type Flags, usage } from '../settings/flags.ts';
import { openFolder } from '../settings/load-options.ts';
import { columns, timeCell } from '../terminal/columns.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { askForOwn, askForTrust, notTrusted } from '../trust/ask-for-trust.ts';
import { describeFolder } from '../trust/question.ts';
import type { DetentCommand } from './command.ts';

export function defineTrust(program: DetentCommand): void {
  program
    .command('trust')
    .summary('approve the files of a folder, list approvals, or revoke one')
    .description(
      "Before Detent uses a folder with a configuration, a .mcp.json or someone else's .detent folder, it lists what the folder would run, and asks you on a terminal to approve it: once, and again after each change. Detent stores approvals in DETENT_HOME (default: ~/.detent).",
    )
    .argument('[DIR]', 'the folder (default: here)')
    .option('--mine', 'only you edit the folder: do not ask about your own changes')
    .option('--list', 'the folders that you trust')
    .option('--revoke', 'stop trusting the folder')
    .optionsGroup('Output:')
    .option('--json', 'JSON, for programs')
    .examples(
      'detent trust',
      'detent trust ~/src/their-project',
      'detent trust --mine',
      'detent trust --list',
      'detent trust --revoke',
    )
    .performedBy(async () => trustCommand);
}

/** `detent trust [DIR]`: shows what a folder wants and asks; `--mine`, `--list`, `--revoke`. */
async function trustCommand(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const [one, other] = ['mine', 'list', 'revoke'].filter((name) => flags[name]);
  if (other !== undefined) throw usage(`--${one} and --${other} exclude each other`);
  if (flags.list) {
    if (words.length > 0) throw usage('--list takes no folder');
    return listTrusted(flags, io);
  }
  const place = { workspace: io.path(words[0] ?? '.') };
  if (flags.mine) return own(place, flags, io);
  return flags.revoke ? revoke(place.workspace, flags, io) : agree(place, flags, io);
}

async function own(place: Flags, flags: Flags, io: Io): Promise<number> {
  if (flags.json) throw usage('--mine asks, and prints no JSON');
  const opened = await openFolder(place, io, io.env);
  const verdict = await judgeFolder(opened);
  const { folder } = verdict.survey;
  if (!io.isAttended())
    throw new DetentError(
      'NOT_TRUSTED',
      `"detent trust --mine" asks about ${folder} on a terminal, and there is none`,
    );
  await askForOwn(verdict, io);
  await judgeFolder(await opened.again());
  io.out(
    io.asTyped(
      `${folder} is yours: Detent no longer asks about your changes; "detent trust --revoke" ends this\n`,
    ),
  );
  return exit.ok;
}

async function agree(place: Flags, flags: Flags, io: Io): Promise<number> {
  const opened = await openFolder(place, io, io.env);
  const verdict = await judgeFolder(opened);
  const { survey, before, isTrusted } = verdict;
  const { folder, wants, places } = survey;
  if (flags.json) {
    const since = before?.at ?? null;
    io.json({ folder, trusted: isTrusted, since, mine: isOwned(before), why: verdict.why, wants, places });
    return isTrusted ? exit.ok : exit.config;
  }
  if (isTrusted) {
    io.out(`${trustLine(verdict, io)}\n`);
    if (wants.length > 0) io.out(`${await describeFolder({ survey, before: null, why: [] })}\n`);
    return exit.ok;
  }
  if (!io.isAttended()) {
    io.out(`${await describeFolder(verdict)}\n`);
    throw notTrusted(verdict, opened.workspace, io);
  }
  await askForTrust(verdict, io);
  const until = isOwned(before) ? ', and stays yours' : ' until one of these files changes';
  io.out(`${folder} is trusted${until}\n`);
  return exit.ok;
}

function trustLine({ survey, before }: Verdict, { stdout }: Io): string {
  if (before === null) return `${survey.folder} needs no trust: nothing in it would run`;
  const own = isOwned(before) ? ', and yours: Detent does not ask about your changes' : '';
  return `${survey.folder} is trusted since ${timeCell(Date.parse(before.at), stdout)}${own}:`;
}

function listTrusted({ json }: Flags, io: Io): number {
  const folders = trustedFolders(new TrustRecords(io.env));
  if (json) io.json({ folders });
  else if (folders.length === 0) io.say('no folder is trusted');
  else
    io.out(
      columns(
        folders.map(({ folder, at, files, mine }) => [
          timeCell(Date.parse(at), io.stdout),
          folder,
          [...(mine ? ['mine'] : []), files.join(', ')].join(': '),
        ]),
      ),
    );
  return exit.ok;
}

/** Also forgets what Detent made there: it is asked about again. */
function revoke(workspace: string, { json }: Flags, io: Io): number {
  // The folder may be gone.
  const folder = existsSync(workspace) ? realpathSync(workspace) : workspace;
  if (!revokeTrust(new TrustRecords(io.env), folder))
    throw new DetentError('NOT_FOUND', `${folder} was not trusted`);
  if (json) io.json({ folder, revoked: true });
  else io.out(`${folder} is no longer trusted\n`);
  return exit.ok;
}
