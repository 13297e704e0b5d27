import { computed, signal } from '@preact/signals';
import type { ClientError } from '#src/client/index.ts';
import { type Client, type ClientState, createClient } from '#src/client/index.ts';
import { onlyTalks, type Scope } from '#src/protocol/access.ts';
import { prefix } from '../base/place.ts';
import { currentToken, type LoginFailure, logOut } from './login.ts';

interface Connection {
  state: ClientState;
  error: ClientError | null;
  /** When the next attempt to connect comes, in milliseconds since the epoch; null when none is planned. */
  retryAt: number | null;
}

export const connection = signal<Connection>({ state: 'idle', error: null, retryAt: null });

/** Since when what the page shows may be old, in milliseconds since the epoch; null while the connection is open. */
export const staleSince = signal<number | null>(null);

export const isOffline = computed(() => staleSince.value !== null);

/** Counts connections: what was read over an earlier one is read again. */
export const generation = signal(0);

let made: Client | null = null;

/** The client of the page, once a person is logged in. */
export function client(): Client {
  made ??= createClient({
    url: location.origin + prefix,
    token: currentToken,
    reconnect: { maxMs: 8_000 },
    onState(state, error) {
      connection.value = { state, error, retryAt: made?.retryAt ?? null };
      if (state === 'open') {
        staleSince.value = null;
        generation.value++;
      } else if (state === 'waiting' || state === 'stopped') staleSince.value ??= Date.now();
      if (state === 'stopped' && error?.code === 'UNAUTHORIZED')
        forget({ why: 'token', detail: error.message });
    },
  });
  return made;
}

/** Acts again and again while the page is seen and the gateway answers. Returns what ends that. */
export function whileSeen(everyMs: number, act: () => void): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible' && !isOffline.peek()) act();
  }, everyMs);
  return () => clearInterval(timer);
}

/** Ends the connection and the login of this tab. */
export function forget(why: LoginFailure): void {
  made?.close();
  made = null;
  staleSince.value = null;
  logOut(why);
}

/** Whether the gateway said that the token may not converse: before the first connection it is not known. */
export function mayNotTalk(): boolean {
  return !mayTalk() && made?.connected != null;
}

/** Whether the token may converse: write, cancel, answer, and order its sessions. */
export function mayTalk(): boolean {
  return may('write') || may('talk');
}

/**
 * Whether the token only converses, as a customer does: the gateway tells it nothing of costs, models, tools and the inside of runs,
 * and answers no other page than the chat.
 */
export function isCustomer(): boolean {
  // Read again with each connection.
  void generation.value;
  return made?.connected != null && onlyTalks(made.connected);
}

/** How the log names who is logged in; empty before the first connection. */
export function ownName(): string {
  void generation.value;
  return made?.connected?.by ?? '';
}

/** Whether a session is somebody else's. */
export function isOthers({ userId }: { userId?: string | undefined }): boolean {
  void generation.value;
  return userId !== undefined && userId !== made?.connected?.userId;
}

/** Whether a session is somebody else's, and this login may speak there as staff. */
export function mayStaff(session: { userId?: string | undefined }): boolean {
  return may('approve') && isOthers(session);
}

/** Whether the token may do that. */
export function may(scope: Scope): boolean {
  // Read again with each connection.
  void generation.value;
  return made?.connected?.scopes.includes(scope) ?? false;
}
