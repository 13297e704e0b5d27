import { signal } from '@preact/signals';

/** What a page is about besides its own name, such as its session; null for the page alone. */
export const subject = signal<string | null>(null);

/** How many questions wait for the person. */
export const waitingCount = signal(0);

/** What the tab of the browser says. */
export function titleOfTab(page: string): string {
  const name = [subject.value ?? page, 'Detent'].filter(Boolean).join(' · ');
  return waitingCount.value > 0 ? `(${waitingCount.value}) ${name}` : name;
}
