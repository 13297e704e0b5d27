import type { CliOptions } from '../settings/load-options.ts';

/**
 * What a command says when deleted bytes are still there.
 *
 * @param what of a file: until when, or what to do
 */
export function tracesLeft({ database }: CliOptions, what: string): string {
  return database.url === undefined
    ? `detent: another process reads the database: traces stay in its files${what}`
    : 'detent: PostgreSQL keeps deleted bytes in its log, its replicas and its backups until they are written over';
}
