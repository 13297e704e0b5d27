import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '../../../protocol/json.ts';
import { detentHome, makeFolderInHome, privateFileMode, readWholeSync } from '../../../text/files.ts';
import { hex, sha256 } from '../../../text/ids.ts';
import { shownDatabase } from '../../../text/wording.ts';
import type { CliOptions } from '../../settings/load-options.ts';

/**
 * A gateway that "detent serve" runs for a database, as other commands of the same person find it. A record may outlive its
 * gateway: the key was known to that process alone, so no other program does anything with it.
 */
interface GatewayRecord {
  url: string;
  /** Makes login links. */
  key: string;
}

const answerMs = 3_000;

/** Keeps the record in the person's own settings; returns what removes it. A later gateway of the database takes its place. */
export function keepRecord(options: CliOptions, record: GatewayRecord): () => void {
  const file = fileOf(options);
  const text = JSON.stringify(record);
  makeFolderInHome(detentHome(options.env), join(file, '..'));
  // A new file: an old one may be a link, or have other permissions.
  rmSync(file, { force: true });
  writeFileSync(file, text, { flag: 'wx', mode: privateFileMode });
  return () => {
    if (readRecord(file) === text) rmSync(file, { force: true });
  };
}

/** Where the gateway of the database listens, or did when it was killed; null when none was started since it was last stopped. */
export function recordedUrl(options: CliOptions): string | null {
  return recordOf(options)?.url ?? null;
}

/** A login code of the gateway that serves the database; null when none answers. */
export async function askForCode(options: CliOptions): Promise<{ url: string; code: string } | null> {
  const record = recordOf(options);
  if (!record) return null;
  try {
    const response = await fetch(`${record.url}/api/v1/login-codes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${record.key}` },
      redirect: 'error',
      signal: AbortSignal.timeout(answerMs),
    });
    const answer: unknown = response.ok ? await response.json() : null;
    const code = isObject(answer) ? answer.code : null;
    return typeof code === 'string' && /^[\w-]{43}$/.test(code) ? { url: record.url, code } : null;
  } catch {
    // It was killed.
    return null;
  }
}

function recordOf(options: CliOptions): GatewayRecord | null {
  try {
    return recordIn(readRecord(fileOf(options)));
  } catch {
    // There is no such database yet.
    return null;
  }
}

/** By the real path of the database, which exists, or the address of its server. */
function fileOf({ env, database: { file, url } }: CliOptions): string {
  const place = url === undefined ? realpathSync.native(file) : shownDatabase(url);
  const name = hex(sha256(place)).slice(0, 32);
  return join(detentHome(env), 'gateways', `${name}.json`);
}

function readRecord(file: string): string {
  try {
    return String(readWholeSync(file));
  } catch {
    return '';
  }
}

/** A record leads to a program of this machine, or nowhere. */
function recordIn(text: string): GatewayRecord | null {
  const value = parseJson(text);
  if (!isObject(value) || typeof value.url !== 'string' || typeof value.key !== 'string') return null;
  const isHere = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d{1,5}$/.test(value.url);
  return isHere && /^[\w-]{43}$/.test(value.key) ? { url: value.url, key: value.key } : null;
}
