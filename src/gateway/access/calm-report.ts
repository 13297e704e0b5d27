import { DetentError, messageOf } from '../../protocol/error.ts';

/** What a client can cause with each request, so that it must not fill the log. */
const ofClients: ReadonlySet<string> = new Set([
  ...['HOST_NOT_ALLOWED', 'ORIGIN_NOT_ALLOWED', 'INVALID_CALLER', 'FORBIDDEN', 'OWN_REQUEST'],
  ...['NOT_THE_DECIDER', 'OTHER_DECIDER'],
]);
const everyMs = 60_000;
/** Different lines a minute; each header `Host` is another one. */
const maxLines = 50;

/**
 * Reports refusals that a client can cause at will once a minute each, and at most 50 of them; all other errors as they come. A
 * function of the host that throws does not bring the gateway down.
 *
 * @param report default: a line on stderr.
 */
export function calmReport(
  report: (error: unknown) => unknown = printed,
  now: () => number = () => performance.now(),
): (error: unknown) => void {
  const reported = new Set<string>();
  let since = now();
  const isKnown = (error: unknown) => {
    if (!DetentError.is(error) || !ofClients.has(error.code)) return false;
    if (now() - since >= everyMs) {
      reported.clear();
      since = now();
    }
    if (reported.has(error.message) || reported.size >= maxLines) return true;
    reported.add(error.message);
    return false;
  };
  return (error) => {
    if (isKnown(error)) return;
    try {
      Promise.resolve(report(error)).catch(() => {});
    } catch {
      // The error cannot be reported anywhere.
    }
  };
}

function printed(error: unknown): void {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
  console.error(`detent: gateway: ${messageOf(error)}${cause}`);
}
