import { useEffect, useState } from 'preact/hooks';
import type { ClientError } from '#src/client/index.ts';
import { announce } from '../../../../base/announce.tsx';
import { useShortcuts } from '../../../../base/keys.ts';
import { mayTalk } from '../../../../data/connection.ts';
import { asClientError, ask } from '../../../../data/use-request.ts';
import { t } from './words.ts';

/** How long the question whether to stop stands. */
const sureMs = 5_000;

/** Ends the run. It asks once: the second press, or the second `Esc`, stops. */
export function StopButton({ runId, failed }: { runId: string; failed(error: ClientError): void }) {
  const [state, setState] = useState<'idle' | 'sure' | 'stopping'>('idle');
  useEffect(() => {
    if (state !== 'sure') return;
    const timer = setTimeout(() => setState('idle'), sureMs);
    return () => clearTimeout(timer);
  }, [state]);
  const press = () => {
    if (state === 'stopping') return;
    if (state === 'idle') {
      setState('sure');
      announce(t.stopAsk, 'assertive');
      return;
    }
    setState('stopping');
    ask('agent.cancel', { runId }).catch((error: unknown) => {
      setState('idle');
      failed(asClientError(error));
    });
  };
  useShortcuts([
    {
      keys: 'Esc',
      words: t.keyStop,
      inText: true,
      act: () => (document.querySelector('dialog[open]') ? false : press()),
    },
  ]);
  if (!mayTalk()) return null;
  return (
    <button type="button" class={`btn small stop${state === 'sure' ? ' sure' : ''}`} onClick={press}>
      <svg width="10" height="10" aria-hidden="true">
        <rect width="10" height="10" rx="1.5" fill="currentColor" />
      </svg>
      {state === 'idle' ? t.stop : state === 'sure' ? t.stopSure : t.stopping} <kbd>Esc</kbd>
    </button>
  );
}
