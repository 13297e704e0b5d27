import { DetentError, messageOf } from '../../protocol/error.ts';
import { onceAMinute } from '../../text/limiter.ts';

/** What a client can cause with each request, so that it must not fill the log. */
const ofClients: ReadonlySet<string> = new Set([
  ...['HOST_NOT_ALLOWED', 'ORIGIN_NOT_ALLOWED', 'INVALID_CALLER', 'FORBIDDEN', 'OWN_REQUEST'],
  ...['NOT_THE_DECIDER', 'OTHER_DECIDER'],
]);

/**
 * Reports refusals that a client can cause at will once a minute each, and at most 50 of them; all other errors as they come. A
 * function of the host that throws does not bring the gateway down.
 *
 * @param report default: a line on stderr.
 */
export function calmReport(
  report: (error: unknown) => unknown = printed,
  now?: () => number,
): (error: unknown) => void {
  // Each header `Host` is another line.
  const isNew = onceAMinute(now);
  const isKnown = (error: unknown) =>
    DetentError.is(error) && ofClients.has(error.code) && !isNew(error.message);
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
