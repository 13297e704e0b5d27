import { signal } from '@preact/signals';
import { kept } from '../../base/kept.ts';

/** The sessions that the person has put on top, in this browser. */
const pinned = signal<readonly string[]>((kept.get('pins') ?? '').split(' ').filter(Boolean));

export function isPinned(sessionId: string): boolean {
  return pinned.value.includes(sessionId);
}

export function pin(sessionId: string, isOn: boolean): void {
  const others = pinned.peek().filter((one) => one !== sessionId);
  pinned.value = isOn ? [sessionId, ...others] : others;
  kept.set('pins', pinned.value.length === 0 ? null : pinned.value.join(' '));
}
