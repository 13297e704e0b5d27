import { DetentError, messageOf } from './error.ts';

/**
 * The message of anything thrown, for a model to read: never a stack, always a string, never throws itself.
 * Of foreign errors one level of `cause` is added: `fetch` says only "fetch failed" and hides the reason there.
 */
export function describeThrown(thrown: unknown): string {
  try {
    const message = String(messageOf(thrown));
    if (DetentError.is(thrown)) return message;
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : '';
    return cause && !message.includes(cause) ? `${message}: ${cause}` : message;
  } catch {
    // A thrown value can be anything: an object without a prototype, a proxy, a getter that throws.
    return 'an error that cannot be described';
  }
}
