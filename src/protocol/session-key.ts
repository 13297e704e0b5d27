import { DetentError } from './error.ts';

/** Where the keys of Detent's own sessions begin: those of jobs, and of tasks and services. */
const ownPrefixes = ['cron:', 'task:'];

/**
 * The name of what a user calls `named`, so that two users may have a `main` each. The user's part has no colon but the one
 * that ends it, and is none of Detent's own prefixes: a user `cron` is written `%63ron`.
 */
export function nameOfUser(userId: string | null, named: string): string {
  if (userId === null) return named;
  const name = `${encodeURIComponent(userId)}:${named}`;
  return isOwnKey(name) ? `%${name.charCodeAt(0).toString(16)}${name.slice(1)}` : name;
}

/** Whether a key is one that Detent gives its own sessions. */
export function isOwnKey(key: string): boolean {
  return ownPrefixes.some((prefix) => key.startsWith(prefix));
}

/** @throws DetentError `INVALID_SESSION` for the key of a new session of a user that is one of Detent's own. */
export function refuseOwnKey(key: string, userId: string | null): void {
  if (userId === null || !isOwnKey(key)) return;
  throw new DetentError(
    'INVALID_SESSION',
    'session keys of users do not begin with "cron:" or "task:": Detent names its own sessions so',
  );
}

/** Whether a value may be the id of a user. */
export function isUserId(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,128}$/u.test(value);
}

/** @throws DetentError `INVALID_SESSION`. */
export function checkSessionKey(key: string): void {
  if (!/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(key))
    throw new DetentError(
      'INVALID_SESSION',
      'a session key is 1 to 200 characters without control characters',
    );
}
