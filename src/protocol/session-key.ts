import { DetentError } from './error.ts';

/**
 * The name of what a user calls `named`, so that two users may have a `main` each. The user's part has no colon but the one
 * that ends it.
 */
export function nameOfUser(userId: string | null, named: string): string {
  return userId === null ? named : `${encodeURIComponent(userId)}:${named}`;
}

/** @throws DetentError `INVALID_SESSION`. */
export function checkSessionKey(key: string): void {
  if (!/^[^\p{Cc}]{1,200}$/u.test(key))
    throw new DetentError(
      'INVALID_SESSION',
      'a session key is 1 to 200 characters without control characters',
    );
}
