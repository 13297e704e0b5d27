import { useEffect } from 'preact/hooks';
import { useRequest } from '../../data/use-request.ts';
import { useModal } from '../use-modal.ts';
import { useAsking } from './asking.ts';
import { InDialog } from './question-frame.tsx';
import { Questions } from './questions.tsx';
import { t } from './words.ts';

const everyMs = 1_500;

interface DecideDialogProps {
  runId: string;
  onClose(): void;
}

/** What a run asks a person, over the page that shows the run. The last decision closes it. */
export function DecideDialog({ runId, onClose }: DecideDialogProps) {
  const dialog = useModal();
  const read = useRequest('run.get', { runId }, { everyMs });
  const asking = useAsking(read.data ?? null);
  const { question, elsewhere, n, m } = asking;
  useEffect(() => dialog.current?.querySelector('h2')?.focus(), [question?.callId]);
  const isAnswered = asking.run !== null && question === null && elsewhere === null;
  return (
    <dialog ref={dialog} class="ask-over" aria-label={t.decision} onClose={onClose}>
      <InDialog.Provider value={true}>
        <Questions
          asking={{
            ...asking,
            settled: (about, decision) => {
              asking.settled(about, decision);
              if (decision?.stands === true && n === m) onClose();
            },
          }}
        />
      </InDialog.Provider>
      {isAnswered && <p class="dim">{t.asksNothing}</p>}
      <p class="ask-answers">
        <button type="button" class="btn" onClick={onClose}>
          {t.close}
        </button>
      </p>
    </dialog>
  );
}
