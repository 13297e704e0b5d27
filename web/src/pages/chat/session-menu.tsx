import { useState } from 'preact/hooks';
import { go } from '../../base/place.ts';
import { saveFile } from '../../base/save-file.ts';
import { may } from '../../data/connection.ts';
import { useAction } from '../../data/use-action.ts';
import { ask } from '../../data/use-request.ts';
import { AskDialog } from '../../parts/ask-dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { isPinned, pin } from './pins.ts';
import { t } from './words.ts';

interface SessionMenuProps {
  sessionId: string;
  title: string;
  /** It was deleted: the list of sessions is to be read again. */
  changed(): void;
}

/** What can be done with a session as a whole. */
export function SessionMenu({ sessionId, title, changed }: SessionMenuProps) {
  const { error, act } = useAction();
  const [isAsking, setAsking] = useState(false);
  const isPinnedNow = isPinned(sessionId);
  const save = async () => {
    const session = await ask('session.get', { sessionId });
    const text = JSON.stringify(session, null, 2);
    saveFile(`${sessionId}.json`, new Blob([text], { type: 'application/json' }));
  };
  const remove = async () => {
    await ask('session.delete', { sessionId, force: true });
    changed();
    go('/chat', { replace: true });
  };
  return (
    <>
      <button type="button" class="btn icon" aria-label={t.sessionMenu} popovertarget="session-menu">
        <Icon size={16} path="M1.7 8h2.6M6.7 8h2.6M11.7 8h2.6" strokeWidth={2.6} />
      </button>
      <div id="session-menu" popover="auto" class="session-menu">
        <button type="button" class="btn ghost" onClick={() => pin(sessionId, !isPinnedNow)}>
          {isPinnedNow ? t.unpin : t.pin}
        </button>
        <button type="button" class="btn ghost" onClick={() => void act(save)}>
          {t.exportSession}
        </button>
        <button
          type="button"
          class="btn ghost"
          disabled={!may('write')}
          popovertarget="session-menu"
          onClick={() => setAsking(true)}
        >
          {t.deleteSession}
        </button>
        {error && <Failure error={error} />}
      </div>
      {isAsking && (
        <AskDialog
          title={t.deleteTitle(title)}
          action={t.deleteSession}
          isDanger
          onYes={() => void act(remove)}
          onClose={() => setAsking(false)}
        >
          {t.deleteAbout}
        </AskDialog>
      )}
    </>
  );
}
