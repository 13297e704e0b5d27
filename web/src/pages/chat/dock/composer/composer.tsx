import { useRef, useState } from 'preact/hooks';
import type { ClientRun } from '#src/client/index.ts';
import { useShortcuts } from '../../../../base/keys.ts';
import { isCustomer, isOffline, mayNotTalk } from '../../../../data/connection.ts';
import type { Held } from '../../../../data/conversation/held.ts';
import { Failure } from '../../../../parts/failure.tsx';
import { AttachButton } from './attach-button.tsx';
import { Attachments } from './attachments.tsx';
import { ContextMeter } from './context-meter.tsx';
import { continueDraftIn, draftOf, keepDraft } from './draft.ts';
import { MessageArea } from './message-area.tsx';
import { ModelPicker } from './model-picker.tsx';
import { StopButton } from './stop-button.tsx';
import type { Unsent } from './unsent.ts';
import { useFiles } from './use-files.ts';
import { useSending } from './use-sending.ts';
import { useSkillPicker } from './use-skill-picker.ts';
import { WaitingMessages } from './waiting-messages.tsx';
import { t } from './words.ts';

interface ComposerProps {
  sessionId: string | null;
  run: ClientRun | null;
  /** A person of the staff has the session, or is asked for: words go to that person, or are that person's. */
  held: Held | null;
  /** The kind of question that stands above, if any. */
  asks: 'reconcile' | 'other' | null;
  /** The gateway took a message. */
  started(sessionId: string, runId: string): void;
  /** A message is on its way. */
  said(): void;
}

type Mode = Exclude<Unsent['mode'], 'staff'>;

const ended: readonly string[] = ['done', 'failed', 'cancelled'];

/** Where a person writes: a new prompt, a word to the run at work, or the next one behind it. */
export function Composer({ sessionId, run, held, asks, started, said }: ComposerProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const files = useFiles();
  const [mode, setMode] = useState<Mode>('steer');
  const [model, setModel] = useState<string | null>(null);
  const [isDropping, setDropping] = useState(false);
  const text = draftOf(sessionId);
  const write = (value: string) => keepDraft(sessionId, value);
  const picker = useSkillPicker(area, text, write);
  const sending = useSending(sessionId, (session, runId) => {
    if (sessionId === null && area.current !== null)
      continueDraftIn(session, document.activeElement === area.current);
    started(session, runId);
  });
  const isStaff = held?.isMine ?? false;
  const isBusy = held === null && run !== null && !ended.includes(run.status);
  const isReady = text.trim() !== '' && !files.isUploading && !sending.isSending && !mayNotTalk();
  useShortcuts([{ keys: '/', words: t.keySkills, act: picker.open }]);

  // Staff says words alone.
  const attach = (added: Iterable<File>) => !isStaff && files.add(added);
  const submit = () => {
    if (!isReady) return;
    const message = {
      sessionId,
      text: text.trim(),
      attachments: files.files.flatMap((file) => file.id ?? []),
      mode: isStaff ? ('staff' as const) : isBusy ? mode : ('steer' as const),
      model: isBusy && mode === 'steer' ? null : model,
    };
    write('');
    picker.close();
    files.clear();
    if (held === null) said();
    void sending.submit(message);
  };

  return (
    <>
      <WaitingMessages sessionId={sessionId} isBusy={isBusy} />
      {sending.error && <Failure error={sending.error} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files are also chosen by the button, and pasted */}
      <div
        class={`composer${isDropping ? ' dropping' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setDropping(true);
        }}
        onDragLeave={() => setDropping(false)}
        onDrop={(event) => {
          event.preventDefault();
          setDropping(false);
          attach(event.dataTransfer?.files ?? []);
        }}
      >
        <Attachments files={files.files} refused={files.refused} remove={files.remove} />
        <MessageArea
          area={area}
          sessionId={sessionId}
          placeholder={isDropping && !isStaff ? t.dropHere : placeholder(asks, isBusy, mode, held)}
          picker={picker}
          submit={submit}
          attach={attach}
        />
        {files.files.length > 0 && text.trim() === '' && <p class="hint-line">{t.needsText}</p>}
        <div class="tools">
          {!isStaff && <AttachButton attach={files.add} />}
          {!isCustomer() && held === null && (
            <button
              type="button"
              class="btn ghost small"
              aria-expanded={picker.isOpen}
              onMouseDown={(event) => event.preventDefault()}
              onClick={picker.open}
            >
              <code>/</code> {t.skill}
            </button>
          )}
          {!isCustomer() && held === null && (!isBusy || mode === 'queue') && (
            <ModelPicker model={run?.steps.at(-1)?.model ?? null} chosen={model} choose={setModel} />
          )}
          <span class="sp" />
          {run && held === null && !isCustomer() && (
            <ContextMeter runId={run.runId} used={run.usage.inputTokens} />
          )}
          {isBusy && <WhereTo mode={mode} choose={setMode} />}
          {isBusy && <StopButton key={run.runId} runId={run.runId} failed={sending.fail} />}
          <button type="button" class="btn small primary" disabled={!isReady} onClick={submit}>
            {sending.isSending ? t.sending : isOffline.value ? t.keep : t.send} <kbd>↵</kbd>
          </button>
        </div>
      </div>
    </>
  );
}

/** Whether a message goes to the run at work, or behind it. */
function WhereTo({ mode, choose }: { mode: Mode; choose(mode: Mode): void }) {
  return (
    <select
      class="btn ghost small"
      aria-label={t.whereTo}
      onChange={(event) => choose(event.currentTarget.value as Mode)}
    >
      <option value="steer" selected={mode === 'steer'}>
        {t.thisRun}
      </option>
      <option value="queue" selected={mode === 'queue'}>
        {t.nextRun}
      </option>
    </select>
  );
}

function placeholder(
  asks: ComposerProps['asks'],
  isBusy: boolean,
  mode: Mode,
  held: ComposerProps['held'],
): string {
  if (isOffline.value) return t.placeholderOffline;
  if (mayNotTalk()) return t.mayNotWrite;
  if (held !== null) return held.isMine ? t.placeholderStaff : t.placeholderHeld;
  if (isBusy && mode === 'queue') return t.placeholderQueue;
  if (asks !== null) return asks === 'reconcile' ? t.placeholderReconcile : t.placeholderAsk;
  return isBusy ? t.placeholderSteer : t.placeholder;
}
