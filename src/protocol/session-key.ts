import { DetentError } from './error.ts';

/** @throws DetentError `INVALID_SESSION`. */
export function checkSessionKey(key: string): void {
  if (!/^[^\p{Cc}]{1,200}$/u.test(key))
    throw new DetentError(
      'INVALID_SESSION',
      'a session key is 1 to 200 characters without control characters',
    );
}
