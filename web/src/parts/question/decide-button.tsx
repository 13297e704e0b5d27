import { useState } from 'preact/hooks';
import { late } from '../late.tsx';

/** Its questions come with it: most runs ask nothing. */
const DecideDialog = late(async () => (await import('./decide-dialog.tsx')).DecideDialog);

/** Opens what a run asks a person, in place. */
export function DecideButton({ runId, words }: { runId: string; words: string }) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <button type="button" class="btn small" aria-haspopup="dialog" onClick={() => open(true)}>
        {words}
      </button>
      {isOpen && <DecideDialog runId={runId} onClose={() => open(false)} />}
    </>
  );
}
