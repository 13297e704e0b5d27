import './staff-bar.css';
import { useState } from 'preact/hooks';
import type { Held } from '../../../../data/conversation/held.ts';
import { useAction } from '../../../../data/use-action.ts';
import { ask } from '../../../../data/use-request.ts';
import { AskDialog } from '../../../../parts/ask-dialog.tsx';
import { Failure } from '../../../../parts/failure.tsx';
import { Chip } from '../../../../parts/shape.tsx';
import { visible } from '../../../../parts/visible.ts';
import { t } from './words.ts';

interface StaffBarProps {
  sessionId: string;
  held: Held;
  /** The session is to be read again. */
  changed(): void;
}

/** Above the message of a conversation that staff has, or is asked for: who speaks, and what staff can do about it. */
export function StaffBar({ sessionId, held, changed }: StaffBarProps) {
  const { state, isMine, mayCome, who, reason, summary } = held;
  const { isBusy, error, act } = useAction();
  const [isAsking, setAsking] = useState(false);
  const perform = (method: 'session.takeover' | 'session.giveBack') =>
    void act(() => ask(method, { sessionId }).finally(changed));
  const isTaken = state === 'taken';
  const { title, more } = wordsOf(held);
  return (
    <section class="staff-bar" aria-label={t.region}>
      <div>
        <Chip state={isTaken ? 'hold' : 'ask'}>{title}</Chip>
        {reason !== undefined && mayCome ? <b>{visible(reason)}</b> : <span>{more}</span>}
        {summary !== undefined && <p>{visible(summary)}</p>}
      </div>
      {mayCome && !isTaken && (
        <button
          type="button"
          class="btn primary"
          disabled={isBusy}
          onClick={() => perform('session.takeover')}
        >
          {isBusy ? t.taking : t.takeOver}
        </button>
      )}
      {mayCome && isTaken && (
        <button
          type="button"
          class="btn"
          disabled={isBusy}
          onClick={() => (isMine ? perform('session.giveBack') : setAsking(true))}
        >
          {t.giveBack}
        </button>
      )}
      {error && <Failure error={error} />}
      {isAsking && (
        <AskDialog
          title={t.giveBackTitle}
          action={t.giveBack}
          onYes={() => perform('session.giveBack')}
          onClose={() => setAsking(false)}
        >
          {t.giveBackAbout(visible(who ?? t.somebody))}
        </AskDialog>
      )}
    </section>
  );
}

function wordsOf({ state, isMine, mayCome, who }: Held): { title: string; more: string } {
  const name = who && visible(who);
  if (state === 'waiting') return { title: mayCome ? t.awaited : t.asked, more: mayCome ? '' : t.askedMore };
  if (isMine) return { title: t.youHave, more: t.youHaveMore };
  return mayCome ? { title: t.has(name), more: t.hasMore } : { title: t.came(name), more: t.cameMore };
}
