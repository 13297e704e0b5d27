import { type LetIn, mayStay, unauthorized } from './gate.ts';
import type { TokenChecks } from './token-checks.ts';

interface Bounds {
  tokens: TokenChecks;
  /** Each of them ends the wait. */
  signals: readonly AbortSignal[];
  report(error: unknown): void;
}

/**
 * Waits for a client as long as its token is valid. Only the few methods that wait need signals: most calls are answered at once.
 *
 * @throws DetentError `UNAUTHORIZED` when its token has ended meanwhile.
 */
export async function whileLetIn<T>(
  who: LetIn,
  { tokens, signals, report }: Bounds,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  let isRefused = false;
  const end = () => over.abort();
  const checkToken = async () => {
    isRefused ||= !(await mayStay(who, report));
    if (isRefused) end();
  };
  const unwatch = tokens.add({ who: () => who, checkToken });
  // AbortSignal.any takes longer than the rest of the wait, and leaves garbage with signals that live long.
  for (const one of signals) one.addEventListener('abort', end);
  try {
    if (signals.some(({ aborted }) => aborted)) end();
    const waited = await wait(over.signal);
    await checkToken();
    if (isRefused) throw unauthorized();
    return waited;
  } finally {
    unwatch();
    for (const one of signals) one.removeEventListener('abort', end);
  }
}
