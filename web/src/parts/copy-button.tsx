import { useState } from 'preact/hooks';
import { t } from './words.ts';

/** Copies a text, and says whether it did. */
export function CopyButton({ text }: { text: string }) {
  const [state, show] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      show('copied');
    } catch {
      show('failed');
    }
    setTimeout(() => show('idle'), 2_000);
  };
  return (
    <button type="button" class="copy" onClick={copy}>
      {state === 'copied' ? t.copied : state === 'failed' ? t.copyFailed : t.copy}
    </button>
  );
}
