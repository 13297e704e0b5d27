import { signal } from '@preact/signals';
import { prefix } from '../base/place.ts';

/**
 * The token lives in the session storage of the tab: cookies would be shared by all ports of this machine. Other tabs of the same
 * page ask for it over a channel that only pages of this origin hear.
 */
const storageKey = `detent.token ${prefix}`;
const channelName = `detent.login ${prefix}`;
const askMs = 250;

/** A gateway makes codes of its own (43 characters), and "detent token login" makes others, with a name in front. */
const linkedCode = /#login=([\w.-]+)/;
const isCode = /^(?:log_\w+\.)?[\w-]{43}$/;

type LoginState = 'unknown' | 'in' | 'out';

export const loginState = signal<LoginState>('unknown');

/** Why a person is not logged in: by a link, by a token, by what may have been either, because the gateway did not answer, or as `detail` says. */
export interface LoginFailure {
  why: 'link' | 'token' | 'either' | 'silent' | 'other';
  /** In words of the gateway, or of the page. */
  detail: string;
}

/** Why the last login failed or ended. */
export const loginError = signal<LoginFailure | null>(null);

let token: string | null = null;

export function currentToken(): string {
  return token ?? '';
}

/** Logs in by the link that opened the page, by what this tab kept, or by another tab. */
export async function begin(): Promise<void> {
  answerOtherTabs();
  addEventListener('hashchange', () => void takeLink());
  if (await takeLink()) return;
  const found = sessionStorage.getItem(storageKey) ?? (await askOtherTabs());
  if (found) keep(found);
  else loginState.value = 'out';
}

/** Exchanges the code of `#login=CODE` for a token, and takes it out of the address. */
async function takeLink(): Promise<boolean> {
  const code = linkedCode.exec(location.hash)?.[1];
  if (code === undefined) return false;
  history.replaceState(null, '', location.pathname + location.search);
  return logInByCode(code);
}

async function logInByCode(code: string): Promise<boolean> {
  loginError.value = null;
  try {
    const response = await fetch(`${prefix}/api/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    const answer = (await response.json()) as { token?: string; detail?: string };
    if (answer.token) {
      keep(answer.token);
      return true;
    }
    const why = response.status === 401 ? 'link' : 'other';
    loginError.value = { why, detail: answer.detail ?? response.statusText };
  } catch (error) {
    loginError.value = { why: 'silent', detail: String(error) };
  }
  // The tab may have been logged in before.
  const before = sessionStorage.getItem(storageKey);
  if (before) keep(before);
  else loginState.value = 'out';
  return Boolean(before);
}

/** Logs in by what a person pasted: a login link, its code, or a token. */
export async function logInBy(pasted: string): Promise<void> {
  const text = pasted.trim();
  const code = linkedCode.exec(text)?.[1];
  if (code !== undefined) await logInByCode(code);
  else if (!isCode.test(text)) keep(text);
  // A token may look like a code.
  else if (!(await logInByCode(text)) && loginError.value?.why === 'link') await logInByToken(text);
}

/** Logs in by what the gateway takes for a token, whatever it allows. */
async function logInByToken(text: string): Promise<void> {
  const headers = { authorization: `Bearer ${text}` };
  const answer = await fetch(`${prefix}/api/v1/sessions?limit=1`, { headers }).catch(() => null);
  if (answer !== null && answer.status !== 401) keep(text);
  else loginError.value = { why: answer === null ? 'silent' : 'either', detail: '' };
}

export function logOut(why: LoginFailure): void {
  token = null;
  sessionStorage.removeItem(storageKey);
  loginError.value = why;
  loginState.value = 'out';
}

function keep(given: string): void {
  token = given;
  sessionStorage.setItem(storageKey, given);
  loginError.value = null;
  loginState.value = 'in';
}

interface ChannelMessage {
  ask?: true;
  token?: string;
}

function answerOtherTabs(): void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<ChannelMessage>) => {
    if (data.ask && token !== null) channel.postMessage({ token } satisfies ChannelMessage);
  });
}

function askOtherTabs(): Promise<string | null> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(channelName);
    const end = (found: string | null) => {
      clearTimeout(timer);
      channel.close();
      resolve(found);
    };
    const timer = setTimeout(() => end(null), askMs);
    channel.addEventListener('message', ({ data }: MessageEvent<ChannelMessage>) => {
      if (typeof data.token === 'string') end(data.token);
    });
    channel.postMessage({ ask: true } satisfies ChannelMessage);
  });
}
