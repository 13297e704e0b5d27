import { effect, signal } from '@preact/signals';
import { client, connection, generation } from '../../../../data/connection.ts';
import { asClientError } from '../../../../data/use-request.ts';

/** A message that the gateway has not taken yet. It survives a reload of the page. */
export interface Unsent {
  /** Of the request: however often it goes, there is one run. */
  key: string;
  sessionId: string | null;
  text: string;
  attachments: readonly string[];
  /** `staff`: said by a person in place of the agent. */
  mode: 'steer' | 'queue' | 'staff';
  model: string | null;
  /** Whose it is: another login of this browser does not send it. */
  who: string | null;
}

/** What became of a message. */
export type Sent = { runId: string; sessionId: string } | { error: ReturnType<typeof asClientError> };

const storageKey = 'detent.unsent';

/** All messages that wait for the gateway. Also those of other tabs, as they were when this one began. */
export const unsent = signal<readonly Unsent[]>(read());

/** Those whose request is on its way. */
const onTheWay = new Map<string, { sent: Promise<Sent>; abort: AbortController }>();

/** Sends a message, now or when the gateway answers again. */
export function send(message: Omit<Unsent, 'key' | 'who'>): Promise<Sent> {
  const kept: Unsent = { ...message, key: crypto.randomUUID(), who: whoIsHere() };
  unsent.value = [...unsent.peek(), kept];
  write((all) => [...all, kept]);
  return attempt(kept);
}

/** Throws a message away that waits for the gateway. */
export function drop(key: string): void {
  unsent.value = unsent.peek().filter((one) => one.key !== key);
  write((all) => all.filter((one) => one.key !== key));
  onTheWay.get(key)?.abort.abort();
}

function attempt(message: Unsent): Promise<Sent> {
  const { key } = message;
  const going = onTheWay.get(key);
  if (going) return going.sent;
  const abort = new AbortController();
  const sent = request(message, abort.signal).catch(
    (error: unknown): Sent => ({ error: asClientError(error) }),
  );
  onTheWay.set(key, { sent, abort });
  void sent.then((what) => {
    onTheWay.delete(key);
    // A client that was closed sends nothing: the message waits for the next one.
    if (!('error' in what) || what.error.code !== 'CLOSED') drop(key);
  });
  return sent;
}

async function request(message: Unsent, signal: AbortSignal): Promise<Sent> {
  const { key: idempotencyKey, sessionId, text, attachments, mode, model } = message;
  if (mode === 'staff' && sessionId !== null) {
    const said = { sessionId, content: text, idempotencyKey };
    const { runId } = await client().request('session.say', said, { signal });
    return { runId, sessionId };
  }
  const asked = {
    prompt: text,
    idempotencyKey,
    mode: mode === 'staff' ? ('steer' as const) : mode,
    ...(sessionId !== null && { sessionId }),
    ...(attachments.length > 0 && { attachments: attachments.map((id) => ({ id })) }),
    ...(model !== null && { model }),
  };
  const { runId, sessionId: session } = await client().request('agent.run', asked, { signal });
  return { runId, sessionId: session };
}

/** Sends what an earlier visit left, once it is known who is here. */
export function sendLeft(taken: (sent: Sent, message: Unsent) => void): () => void {
  return effect(() => {
    void generation.value;
    if (connection.value.state !== 'open') return;
    const who = whoIsHere();
    for (const message of unsent.peek())
      if (message.who === null || message.who === who) {
        if (onTheWay.has(message.key)) continue;
        void attempt(message).then((sent) => taken(sent, message));
      }
  });
}

function whoIsHere(): string | null {
  const { connected } = client();
  return connected && JSON.stringify([connected.tenantId, connected.userId]);
}

function read(): readonly Unsent[] {
  try {
    const found: unknown = JSON.parse(globalThis.localStorage?.getItem(storageKey) ?? '[]');
    return Array.isArray(found)
      ? (found as Unsent[]).filter(({ key, text }) => typeof key === 'string' && typeof text === 'string')
      : [];
  } catch {
    return [];
  }
}

/** Other tabs write there, too. */
function write(change: (all: readonly Unsent[]) => readonly Unsent[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(change(read())));
  } catch {
    // Without a storage, or with a full one, messages last as long as the page.
  }
}
