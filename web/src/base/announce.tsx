import { signal } from '@preact/signals';

const polite = signal('');
const assertive = signal('');
const everyMs = 2_000;
let lastAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Says something to screen readers: changes of state and finished answers politely, one in two seconds at most, the newest; a question to the
 * person at once. Never pieces of an answer.
 */
export function announce(text: string, urgency: 'polite' | 'assertive' = 'polite'): void {
  if (urgency === 'assertive') {
    say(assertive, text);
    return;
  }
  clearTimeout(timer);
  timer = setTimeout(
    () => {
      lastAt = Date.now();
      say(polite, text);
    },
    Math.max(0, lastAt + everyMs - Date.now()),
  );
}

/** The same words twice are read twice only if the text changes. */
function say(region: typeof polite, text: string): void {
  region.value = region.value === text ? `${text}\u00a0` : text;
}

export function LiveRegions() {
  return (
    <>
      <div class="sr" role="status" aria-live="polite">
        {polite.value}
      </div>
      <div class="sr" role="alert" aria-live="assertive">
        {assertive.value}
      </div>
    </>
  );
}
