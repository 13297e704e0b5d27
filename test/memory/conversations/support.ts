import type { Store } from '../../../src/store/store.ts';
import { put, runInput } from '../../store/rows.ts';

export const tenant = 1;

export interface Turn {
  sessionId: string;
  id: string;
  user: string;
  assistant: string;
}

/** Adds a run that has ended. */
export async function addTurn(store: Store, { sessionId: key, id, user, assistant }: Turn): Promise<void> {
  const known = await store.query('findSession', { tenant, key });
  const session = known?.pk ?? (await put(store, 'insertSession', { tenant, key, user: null, at: 1 })).pk;
  const { ordinal } = (await store.query('lastOrdinal', { session })) ?? { ordinal: null };
  const { pk: run } = await put(
    store,
    'insertRun',
    runInput({ tenant, session, id, ordinal: (ordinal ?? 0) + 1, seq: 2, ended: 1 }),
  );
  const place = { session, run, tenant, i: 0, at: run };
  await put(store, 'insertMessage', { ...place, seq: 1, role: 'user', body: JSON.stringify({ text: user }) });
  const answer = { text: assistant, provider: 'a/b', toolCalls: [] };
  await put(store, 'insertMessage', { ...place, seq: 2, role: 'assistant', body: JSON.stringify(answer) });
}
