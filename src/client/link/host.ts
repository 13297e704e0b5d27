/** The part of `WebSocket` that the client uses. Those of browsers, Node, React Native and the package `ws` fit. */
export interface ClientSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: never) => void): void;
}

export type SocketConstructor = new (url: string) => ClientSocket;

/** The part of `fetch` that the client uses. */
export type FetchFunction = (url: string, init?: RequestInit) => Promise<Response>;

/** Where sends are kept that must survive a reload: `localStorage`, `AsyncStorage` or a file, behind two functions. */
export interface ClientStorage {
  get(key: string): Promise<string | null | undefined> | string | null | undefined;
  set(key: string, value: string): Promise<unknown> | unknown;
}

/** A random id of 20 characters or more. React Native has no `crypto` of its own; a key must be unique, not secret. */
export function newId(): string {
  const digits = () => Math.random().toString(36).slice(2);
  return globalThis.crypto?.randomUUID?.() ?? `${digits()}${digits()}${Date.now()}`;
}

/** Bytes of a text in UTF-8. Hermes has no `TextEncoder` in older versions. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate pair is two units and four bytes.
    if (unit > 0x7f) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}
