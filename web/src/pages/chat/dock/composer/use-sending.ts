import { useEffect, useState } from 'preact/hooks';
import type { ClientError } from '#src/client/index.ts';
import { isOffline } from '../../../../data/connection.ts';
import { draftOf, keepDraft } from './draft.ts';
import { type Sent, send, sendLeft, type Unsent } from './unsent.ts';

interface Sending {
  isSending: boolean;
  error: ClientError | null;
  fail(error: ClientError | null): void;
  submit(message: Omit<Unsent, 'key' | 'who'>): Promise<void>;
}

/**
 * Sends what a person wrote in a session, and at first what an earlier visit left, without opening its session. The words of a message
 * that failed are written again, unless the person has begun another one.
 *
 * @param taken called when the gateway took a message
 */
export function useSending(
  sessionId: string | null,
  taken: (sessionId: string, runId: string) => void,
): Sending {
  const [isSending, setSending] = useState(false);
  const [error, fail] = useState<ClientError | null>(null);
  const received = (sent: Sent, words: string) => {
    if (!('error' in sent)) return taken(sent.sessionId, sent.runId);
    if (sent.error.code === 'ABORTED') return;
    fail(sent.error);
    if (draftOf(sessionId) === '') keepDraft(sessionId, words);
  };
  useEffect(() => sendLeft((sent, message) => 'error' in sent && received(sent, message.text)), []);
  return {
    isSending,
    error,
    fail,
    async submit(message) {
      fail(null);
      setSending(!isOffline.peek());
      const sent = await send(message);
      setSending(false);
      received(sent, message.text);
    },
  };
}
