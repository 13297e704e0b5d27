import { messageOf } from '../../../protocol/error.ts';

export type CheckStatus = 'ok' | 'warn' | 'fail';

/** Result of one check of `detent doctor`. */
export interface Check {
  /** A stable id for programs, like `database.integrity`. */
  id: string;
  status: CheckStatus;
  title: string;
  /** What was found. */
  detail: string;
  /** What to do; null when there is nothing to do. */
  remedy: string | null;
}

/** A check's id and its title. */
export type Subject = readonly [id: string, title: string];

export function ok([id, title]: Subject, detail: string, remedy: string | null = null): Check {
  return { id, status: 'ok', title, detail, remedy };
}

export function warn([id, title]: Subject, detail: string, remedy: string): Check {
  return { id, status: 'warn', title, detail, remedy };
}

export function fail([id, title]: Subject, detail: string, remedy: string): Check {
  return { id, status: 'fail', title, detail, remedy };
}

/** A failed check from a DetentError, whose message has the form `what happened; what to do`. */
export function failed(subject: Subject, error: unknown, remedy?: string): Check {
  const message = messageOf(error);
  const cut = message.lastIndexOf('; ');
  if (remedy !== undefined || cut < 0) return fail(subject, message, remedy ?? 'see the message');
  return fail(subject, message.slice(0, cut), message.slice(cut + 2));
}
