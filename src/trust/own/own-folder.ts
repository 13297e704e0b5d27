import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { hex, sha256 } from '../../text/ids.ts';
import { readRegularFile } from '../code/regular-file.ts';
import { identityOf, keepPlaces, realParentPath } from '../places.ts';
import { type OwnedFolder, type OwnFolder, TrustRecords } from '../records.ts';
import { type Survey, type SurveyedFolder, surveyFolder } from '../survey/survey.ts';
import { changesOf, isAsKept, isInside, isPackage } from './changes.ts';
import { checkoutsSince, type Repositories, repositoriesOf } from './git-state.ts';
import { foldersAbove, foldersBetween, othersWhoWrite, packageFiles } from './writers.ts';

/**
 * Whether what differs in a folder of one's own counts as agreed to. If so, it is kept: the next change is compared with it.
 *
 * @returns why a person must be asked; empty when nobody need be
 */
export async function judgeOwn(
  opened: SurveyedFolder,
  survey: Survey,
  before: OwnedFolder,
): Promise<string[]> {
  const records = new TrustRecords(opened.env);
  const packages = packagesOf(survey);
  if (isAsOwned(survey, before)) {
    await settle(opened, before);
    return [];
  }
  const why = whyAsk(survey, before, records);
  if (why.length === 0) keepIfPossible(survey, { ...before, mine: { ...before.mine, packages } }, opened);
  return why;
}

/** Whether a folder of one's own is as it was agreed to last. */
export function isAsOwned(survey: Survey, before: OwnedFolder): boolean {
  return isAsKept(survey, before) && isDeepStrictEqual(packagesOf(survey), before.mine.packages);
}

/** @throws DetentError `NOT_TRUSTED` when another user could write to the folder, or nothing tells who did. */
export function newOwnFolder(survey: Survey): OwnFolder {
  const { folder } = survey;
  const inside = filesInside(survey);
  const why: string[] = [];
  try {
    why.push(...othersWhoWrite(folder, inside));
    if (birthOf(folder) === 0n) why.push(`the file system does not say when ${folder} was made`);
    repositoriesOf(foldersWithFiles(folder, inside));
  } catch (error) {
    why.push(messageOf(error));
  }
  if (why.length > 0)
    throw new DetentError('NOT_TRUSTED', `${folder} cannot be yours alone: ${why.join('; ')}`, {
      details: { folder },
    });
  return {
    identity: identityOf(folder) ?? '',
    since: new Date().toISOString(),
    repositories: {},
    packages: packagesOf(survey),
  };
}

/** Node reads a package.json once in a process, so a later survey in it does not see where names in imports lead by now. */
export function packagesOf(survey: Pick<Survey, 'folder' | 'files'>): Record<string, string> {
  const paths = packageFiles(survey.folder, filesInside(survey));
  return Object.fromEntries(paths.map((path) => [path, hex(sha256(readRegularFile(path)))]));
}

/** Keeps where git stands now, if the folder still is as it was agreed to, and forgets calls of tools that changed nothing. */
async function settle(opened: SurveyedFolder, before: OwnedFolder): Promise<void> {
  const { folder, mine } = before;
  new TrustRecords(opened.env).forgetEndedCalls(folder);
  let repositories: Repositories;
  try {
    repositories = repositoriesOf(foldersWithFiles(folder, filesInside(before)));
  } catch {
    return;
  }
  if (mine.identity !== identityOf(folder) || isDeepStrictEqual(repositories, mine.repositories)) return;
  // A checkout writes its files before it moves HEAD: only in this order none can have come in between.
  const survey = await surveyFolder(await opened.again());
  if (isAsOwned(survey, before))
    keepIfPossible(survey, { ...before, mine: { ...mine, repositories } }, opened);
}

function whyAsk(survey: Survey, { mine, files }: OwnedFolder, records: TrustRecords): string[] {
  const { folder, places } = survey;
  if (identityOf(folder) !== mine.identity)
    return ['it is not the folder that you trusted as your own, which was moved or replaced'];
  const { added, changed } = changesOf(survey, { files });
  const names = [...added, ...changed];
  const why: string[] = [];
  if (records.callsIn(folder).length > 0) why.push('a tool was running while something changed');
  for (const name of names.filter((name) => !isInside(name)))
    why.push(isPackage(name) ? `${name} comes from others` : `${name} is not in the folder`);
  const since = BigInt(Date.parse(mine.since)) * 1_000_000n;
  const made = places.map(({ path }) => realParentPath(path));
  for (const place of made) {
    if (!place.startsWith(`${folder}/`)) why.push(`${place} is not in the folder`);
    else if (birthOf(place) <= since - tickNs)
      why.push(`${place} was there before you trusted the folder as your own`);
  }
  if (why.length > 0) return why;
  const paths = [...names.filter(isInside).map((name) => join(folder, name)), ...made];
  try {
    why.push(...othersWhoWrite(folder, paths));
    why.push(
      ...checkoutsSince(
        mine.repositories,
        repositoriesOf(foldersWithFiles(folder, [...filesInside(survey), ...made])),
      ),
    );
  } catch (error) {
    why.push(messageOf(error));
  }
  return [...new Set(why)];
}

function foldersWithFiles(folder: string, files: readonly string[]): Set<string> {
  return new Set([folder, ...foldersAbove(folder), ...files.flatMap((file) => foldersBetween(folder, file))]);
}

/** The kernel dates files by a clock that is up to one tick behind: 10 ms at most. */
const tickNs = 10_000_000n;

function birthOf(path: string): bigint {
  return lstatSync(path, { bigint: true }).birthtimeNs;
}

function keepIfPossible(
  { folder, files, texts, places }: Survey,
  { at, mine }: OwnedFolder,
  { env }: Pick<SurveyedFolder, 'env'>,
): void {
  try {
    new TrustRecords(env).keepFolder({ folder, at, files: { ...files }, texts: { ...texts }, mine });
    keepPlaces(places, { env });
  } catch (error) {
    // The next command compares with what was kept before.
    if (!DetentError.is(error) || error.code !== 'TRUST_NOT_KEPT') throw error;
  }
}

function filesInside({ folder, files }: Pick<Survey, 'folder' | 'files'>): string[] {
  return Object.keys(files)
    .filter(isInside)
    .map((name) => join(folder, name));
}
