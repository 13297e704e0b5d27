import { useState } from 'preact/hooks';
import type { ClientError } from '#src/client/index.ts';
import { asClientError } from './use-request.ts';

interface Action {
  isBusy: boolean;
  /** What it failed with, until it is done again. */
  error: ClientError | null;
  /** Does it, and resolves with whether it worked. */
  act(work: () => Promise<unknown>): Promise<boolean>;
}

/** What a person does by a button: whether it is on its way, and what it failed with. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, fail] = useState<ClientError | null>(null);
  return {
    isBusy,
    error,
    async act(work) {
      setBusy(true);
      fail(null);
      try {
        await work();
        return true;
      } catch (reason) {
        fail(asClientError(reason));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
