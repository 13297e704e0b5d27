import { DetentError, messageOf } from '../../protocol/error.ts';

/**
 * The database is not there now: it restarts, fails over, ended a transaction in which this process stood still (25P03), or the
 * network broke. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const goneCodes =
  /^(?:25P03|57P0[123]|08\w{3}|53300|ECONN\w+|EPIPE|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
/** What the driver says of it without a code. */
const goneWords =
  /connection terminated|not queryable|closed the connection|timeout exceeded when trying to connect|query read timeout|timeout expired|connection timeout/i;

/** A certificate that Node does not trust, a file of the URL that is not there, or a server without TLS. */
const tls =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|ERR_(?:TLS|SSL|OSSL)_\w+|ENOENT) |does not support SSL/;

/** SQLSTATE → our code, what to do, whether a retry may succeed. */
const known: readonly (readonly [state: RegExp, code: string, remedy: string, retryable: boolean])[] = [
  [/^53100$/, 'DATABASE_FULL', 'free some space on the disk of the server, then resume', true],
  [
    /^(?:28|3D000)/,
    'DATABASE_UNUSABLE',
    'check the user, the password and the name of the database in its URL',
    false,
  ],
  [/^(?:42501|25006)$/, 'DATABASE_READONLY', 'its user must be allowed to write', false],
  [/^XX001|^XX002/, 'DATABASE_CORRUPT', 'restore a backup', false],
  [/^(?:55P03|57014)$/, 'DATABASE_BUSY', 'another process holds it; try again', true],
];

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function isGone(error: unknown): boolean {
  return !isOfTls(error) && (goneCodes.test(codeOf(error)) || goneWords.test(messageOf(error)));
}

/** The file of a socket is missing while the server is away; one that is to be read is missing for good. */
function isOfTls(error: unknown): boolean {
  const code = codeOf(error);
  const isOfSocket = code === 'ENOENT' && !messageOf(error).includes('open ');
  return !isOfSocket && tls.test(`${code} ${messageOf(error)}`);
}

/** What each transaction writes, by which its outcome is found out later: its connection, and a number of its own. */
export interface Mark {
  place: number;
  n: number;
}

/** A COMMIT was sent, and its answer never came. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
  readonly value: unknown;
  readonly mark: Mark;

  constructor({ value, mark }: { value: unknown; mark: Mark }, cause: unknown) {
    super('the connection broke while a commit was under way', { cause });
    this.value = value;
    this.mark = mark;
  }
}

/**
 * An error of the driver or the server as a DetentError that says what to do; anything else unchanged.
 *
 * @param place the database without its password
 */
export function postgresError(error: unknown, place: string): unknown {
  if (DetentError.is(error)) return error;
  if (error instanceof OutcomeUnknown)
    return new DetentError(
      'OUTCOME_UNKNOWN',
      `the connection to database ${place} broke during a commit: check whether the commit happened before you repeat it`,
      { details: { database: place }, retryable: false, cause: error },
    );
  if (isGone(error)) return unreachable(place, messageOf(error), startIt, error);
  if (isOfTls(error))
    return new DetentError(
      'DATABASE_UNUSABLE',
      `database ${place}: ${messageOf(error)}; check sslmode and sslrootcert in its URL`,
      { details: { database: place }, retryable: false, cause: error },
    );
  const state = codeOf(error);
  if (!/^[0-9A-Z]{5}$/.test(state)) return error;
  const match = known.find(([pattern]) => pattern.test(state));
  const [, code, remedy, retryable] = match ?? [state, 'DATABASE_FAILED', 'see the cause', /^40/.test(state)];
  return new DetentError(code, `database ${place}: ${messageOf(error)}; ${remedy}`, {
    details: { database: place, sqlstate: state },
    retryable,
    cause: error,
  });
}

const startIt = 'start it, or check its URL';

/** @param remedy what to do, or what is done */
export const unreachable = (place: string, why: string, remedy = startIt, cause?: unknown) =>
  new DetentError('DATABASE_UNREACHABLE', `database ${place} cannot be reached (${why}); ${remedy}`, {
    details: { database: place },
    retryable: true,
    cause,
  });
