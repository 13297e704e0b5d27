import { useRef, useState } from 'preact/hooks';
import { go } from '../../base/place.ts';
import { saveFile } from '../../base/save-file.ts';
import { mayTalk } from '../../data/connection.ts';
import { useAction } from '../../data/use-action.ts';
import { ask } from '../../data/use-request.ts';
import { AskDialog } from '../../parts/ask-dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { t } from './words.ts';

interface SessionMenuProps {
  sessionId: string;
  title: string;
  isPinned: boolean;
  /** It was changed or deleted: the list of sessions is to be read again. */
  changed(): void;
  takeOver: (() => Promise<unknown>) | null;
}

/** What can be done with a session as a whole. */
export function SessionMenu({ sessionId, title, isPinned, changed, takeOver }: SessionMenuProps) {
  const { error, act } = useAction();
  const [asked, askFor] = useState<'delete' | 'rename' | null>(null);
  const menu = useRef<HTMLDivElement>(null);
  /** What failed is said in the menu. */
  const attempt = async (work: () => Promise<unknown>) => {
    if (!(await act(work))) menu.current?.showPopover();
  };
  const update = async (change: { title: string | null } | { pinned: boolean }) => {
    await ask('session.update', { sessionId, ...change });
    changed();
  };
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
      <div id="session-menu" ref={menu} popover="auto" class="session-menu">
        {takeOver !== null && (
          <button
            type="button"
            class="btn ghost"
            popovertarget="session-menu"
            onClick={() => void attempt(takeOver)}
          >
            {t.takeOver}
          </button>
        )}
        <button
          type="button"
          class="btn ghost"
          disabled={!mayTalk()}
          onClick={() => void attempt(() => update({ pinned: !isPinned }))}
        >
          {isPinned ? t.unpin : t.pin}
        </button>
        <button
          type="button"
          class="btn ghost"
          disabled={!mayTalk()}
          popovertarget="session-menu"
          onClick={() => askFor('rename')}
        >
          {t.rename}
        </button>
        <button type="button" class="btn ghost" onClick={() => void attempt(save)}>
          {t.exportSession}
        </button>
        <button
          type="button"
          class="btn ghost"
          disabled={!mayTalk()}
          popovertarget="session-menu"
          onClick={() => askFor('delete')}
        >
          {t.deleteSession}
        </button>
        {error && <Failure error={error} />}
      </div>
      {asked === 'rename' && (
        <RenameDialog
          title={title}
          rename={(named) => void attempt(() => update({ title: named }))}
          onClose={() => askFor(null)}
        />
      )}
      {asked === 'delete' && (
        <AskDialog
          title={t.deleteTitle(title)}
          action={t.deleteSession}
          isDanger
          onYes={() => void attempt(remove)}
          onClose={() => askFor(null)}
        >
          {t.deleteAbout}
        </AskDialog>
      )}
    </>
  );
}
