import { useState } from 'preact/hooks';
import { t } from './words.ts';

interface CopyButtonProps {
  /** What long values are written as is made when it is asked for. */
  text: string | (() => string);
  class?: string;
}

/** Copies a text, and says whether it did. */
export function CopyButton({ text, class: look = 'copy' }: CopyButtonProps) {
  const [state, show] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      show('copied');
    } catch {
      show('failed');
    }
    setTimeout(() => show('idle'), 2_000);
  };
  return (
    <button type="button" class={look} onClick={copy}>
      {state === 'copied' ? t.copied : state === 'failed' ? t.copyFailed : t.copy}
    </button>
  );
}
