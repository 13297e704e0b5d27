import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder of the user's own settings. */
export function detentHome(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env.DETENT_HOME || join(homedir(), '.detent'));
}
