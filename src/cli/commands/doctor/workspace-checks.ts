import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../../protocol/error.ts';
import { isoTime } from '../../../text/wording.ts';
import { type Check, fail, ok, type Subject, warn } from './check.ts';

const megabyte = 2 ** 20;
const littleSpace = 500 * megabyte;
const noSpace = 20 * megabyte;
/** Synchronised clocks differ by less. */
export const clockToleranceMs = 5 * 60_000;

/** Checks write access to the folder without writing. */
export function checkWorkspace(folder: string): Check {
  const subject: Subject = ['workspace', 'Workspace'];
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok(subject, folder);
  } catch (error) {
    return fail(
      subject,
      `${folder} cannot be written: ${messageOf(error)}`,
      'make it writable for this user, or name another folder with --workspace',
    );
  }
}

/** Checks the free space where the database is, or will be. */
export async function checkDisk(path: string): Promise<Check> {
  const subject: Subject = ['disk', 'Disk'];
  const there = nearestThere(path);
  try {
    const { bavail, bsize } = await statfs(there);
    return judgeSpace(bavail * bsize, there);
  } catch (error) {
    return warn(subject, `free space of ${there} is unknown: ${messageOf(error)}`, 'check it with: df -h');
  }
}

/** @param free in bytes */
export function judgeSpace(free: number, path: string): Check {
  const subject: Subject = ['disk', 'Disk'];
  const detail = `${megabytes(free)} free at ${path}`;
  if (free >= littleSpace) return ok(subject, detail);
  const remedy = 'free some disk space, or move the database to another disk (--db)';
  return free < noSpace ? fail(subject, detail, remedy) : warn(subject, detail, remedy);
}

/** The path itself, or its nearest existing parent folder. */
export function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}

/** When a file was last changed, in milliseconds since the epoch; undefined when there is none. */
export function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

/**
 * Checks that no file or row has a time in the future, which means that the clock was wrong then or is wrong now.
 *
 * @param moments names and times of the newest writes
 */
export function checkClock(
  now: number,
  moments: readonly (readonly [what: string, at: number | undefined])[],
): Check {
  const subject: Subject = ['clock', 'Clock'];
  const ahead = moments.filter(([, at]) => at !== undefined && at > now + clockToleranceMs);
  if (ahead.length === 0) return ok(subject, isoTime(now));
  const list = ahead.map(([what, at]) => `${what} is of ${isoTime(at ?? 0)}`);
  return warn(
    subject,
    `it is ${isoTime(now)} here, but ${list.join(', ')}`,
    'set the clock (timedatectl set-ntp true): deadlines and expiry times depend on it',
  );
}

export function megabytes(bytes: number): string {
  if (bytes >= 2 ** 30) return `${(bytes / 2 ** 30).toFixed(1)} GB`;
  return bytes >= megabyte ? `${Math.round(bytes / megabyte)} MB` : `${Math.ceil(bytes / 1024)} KB`;
}
