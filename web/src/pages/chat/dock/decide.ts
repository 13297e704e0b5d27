import { useRef, useState } from 'preact/hooks';
import type { ClientError, Input, Output } from '#src/client/index.ts';
import { client } from '../../../data/connection.ts';
import { asClientError } from '../../../data/use-request.ts';

/** The methods that settle a question. */
type Settling = 'tool.confirm' | 'question.answer' | 'run.reconcile' | 'client.result';

export interface Deciding {
  isBusy: boolean;
  error: ClientError | null;
  /** Sends a decision, and resolves with what counts; with null when it failed, or was taken back. */
  send<M extends Settling>(method: M, input: Input<M>): Promise<Output<M> | null>;
  /** Withdraws a decision that has not gone, because the gateway does not answer. */
  takeBack(): void;
  forgive(): void;
}

/**
 * One decision at a time, with what became of it.
 *
 * @param changed called when the gateway says that the person saw other arguments than those that would run
 */
export function useDeciding(changed: () => void): Deciding {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ClientError | null>(null);
  const abort = useRef<AbortController | null>(null);
  return {
    isBusy,
    error,
    async send(method, input) {
      if (abort.current) return null;
      const mine = new AbortController();
      abort.current = mine;
      setBusy(true);
      setError(null);
      try {
        const request = client().request as (
          method: Settling,
          input: unknown,
          options: { signal: AbortSignal },
        ) => Promise<never>;
        return await request(method, input, { signal: mine.signal });
      } catch (thrown) {
        if (mine.signal.aborted) return null;
        const failed = asClientError(thrown);
        setError(failed);
        if (failed.code === 'HASH_MISMATCH') changed();
        return null;
      } finally {
        abort.current = null;
        setBusy(false);
      }
    },
    takeBack: () => abort.current?.abort(),
    forgive: () => setError(null),
  };
}
