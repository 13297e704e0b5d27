import { useRef, useState } from 'preact/hooks';
import type { ClientError, ClientRun, Input } from '#src/client/index.ts';
import type { PendingView } from '#src/protocol/views.ts';
import { client, may, mayTalk } from '../../data/connection.ts';
import { asClientError } from '../../data/use-request.ts';

/** A question as it is shown to the person. */
export interface QuestionProps {
  run: ClientRun;
  question: PendingView;
  /** Its place among those of this stop. */
  n: number;
  m: number;
  /** The arguments are other ones than the person saw, who tried to decide. */
  isChanged: boolean;
  /** A decision stands. */
  settled(question: PendingView, decision: { stands: boolean }): void;
  /** The gateway says that the person saw something else. */
  changed(): void;
}

/** Whether the token may approve a call: by its scope, or because the call is for the user of the run to decide. */
export function mayDecide({ decides }: Pick<PendingView, 'decides'>): boolean {
  return may('approve') || (decides === 'user' && mayTalk());
}

/** The methods that settle a question. */
type Settling = 'tool.confirm' | 'question.answer' | 'run.reconcile' | 'client.result';

export interface Deciding {
  isBusy: boolean;
  error: ClientError | null;
  /** Sends a decision about the question. */
  send<M extends Settling>(method: M, verdict: Omit<Input<M>, 'runId' | 'callId'>): Promise<void>;
  /** Withdraws a decision that has not gone, because the gateway does not answer. */
  takeBack(): void;
  forgive(): void;
}

/** One decision at a time about a question, with what became of it. */
export function useDeciding({
  run: { runId },
  question,
  settled,
  changed,
}: Pick<QuestionProps, 'run' | 'question' | 'settled' | 'changed'>): Deciding {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ClientError | null>(null);
  const abort = useRef<AbortController | null>(null);
  return {
    isBusy,
    error,
    async send(method, verdict) {
      if (abort.current) return;
      const mine = new AbortController();
      abort.current = mine;
      setBusy(true);
      setError(null);
      try {
        const request = client().request as (
          method: Settling,
          input: unknown,
          options: { signal: AbortSignal },
        ) => Promise<{ stands: boolean }>;
        const input = { runId, callId: question.callId, ...verdict };
        settled(question, await request(method, input, { signal: mine.signal }));
      } catch (thrown) {
        if (mine.signal.aborted) return;
        const failed = asClientError(thrown);
        setError(failed);
        if (failed.code === 'HASH_MISMATCH') changed();
      } finally {
        abort.current = null;
        setBusy(false);
      }
    },
    takeBack: () => abort.current?.abort(),
    forgive: () => setError(null),
  };
}
