import { signal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ClientError, ClientRun } from '#src/client/index.ts';
import { announce } from '../../../../base/announce.tsx';
import { useShortcuts } from '../../../../base/keys.ts';
import { isOffline, mayNot } from '../../../../data/connection.ts';
import { useRequest } from '../../../../data/use-request.ts';
import { Failure } from '../../../../parts/failure.tsx';
import { Attachments } from './attachments.tsx';
import { ContextMeter } from './context-meter.tsx';
import { limitsInWords } from './files.ts';
import { ModelPicker } from './model-picker.tsx';
import { SkillPicker } from './skill-picker.tsx';
import { matchingSkills, type PickedSkill, skillWord } from './skills.ts';
import { StopButton } from './stop-button.tsx';
import { type Sent, send, sendLeft } from './unsent.ts';
import { useFiles } from './use-files.ts';
import { WaitingMessages } from './waiting-messages.tsx';
import { t } from './words.ts';

interface ComposerProps {
  sessionId: string | null;
  run: ClientRun | null;
  /** The kind of question that stands above, if any. */
  asks: 'reconcile' | 'other' | null;
  /** The gateway took a message. */
  started(sessionId: string, runId: string): void;
  /** A message is on its way. */
  said(): void;
}

/** What people have written and not sent, by session, while the page is open. */
const drafts = signal<Readonly<Record<string, string>>>({});

/** The session that began while the person wrote on: its view takes over the caret. */
const caretFor = signal<string | null>(null);

const ended: readonly string[] = ['done', 'failed', 'cancelled'];

/** Where a person writes: a new prompt, a word to the run at work, or the next one behind it. */
export function Composer({ sessionId, run, asks, started, said }: ComposerProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const files = useFiles();
  const [caret, setCaret] = useState(0);
  const [isPicking, setPicking] = useState(false);
  const [at, setAt] = useState(0);
  const [mode, setMode] = useState<'steer' | 'queue'>('steer');
  const [model, setModel] = useState<string | null>(null);
  const [isDropping, setDropping] = useState(false);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ClientError | null>(null);
  const draftKey = sessionId ?? '';
  const text = drafts.value[draftKey] ?? '';
  const isBusy = run !== null && !ended.includes(run.status);
  const word = isPicking ? skillWord(text, caret) : null;
  const list = useRequest('skill.list', word === null ? null : {});
  const shown = list.data;
  const skills = word !== null && shown ? matchingSkills(shown.skills, word) : [];
  const isOpen = word !== null && shown !== undefined;
  const isReady = text.trim() !== '' && !files.isUploading && !isSending && !mayNot('write');

  const write = (value: string) => {
    drafts.value = { ...drafts.peek(), [draftKey]: value };
  };
  /** At once, and not with the next rendering: the person types on. */
  const put = (value: string, end: number) => {
    const element = area.current;
    if (!element) return;
    element.focus();
    element.value = value;
    element.setSelectionRange(end, end);
    write(value);
    setCaret(end);
  };
  const pick = (skill: PickedSkill) => {
    if (skill.why !== null) return;
    put(`/${skill.name} ${text.slice(caret).trimStart()}`, skill.name.length + 2);
    setPicking(false);
  };
  const openPicker = () => {
    const value = text.startsWith('/') ? text : `/${text}`;
    put(value, /^\/[^\s/]*/.exec(value)?.[0].length ?? 1);
    setAt(0);
    setPicking(true);
  };

  async function submit(): Promise<void> {
    if (!isReady) return;
    const message = {
      sessionId,
      text: text.trim(),
      attachments: files.files.flatMap((file) => file.id ?? []),
      mode: isBusy ? mode : ('steer' as const),
      model: isBusy && mode === 'steer' ? null : model,
    };
    write('');
    setError(null);
    setPicking(false);
    files.clear();
    said();
    setSending(!isOffline.peek());
    const sent = await send(message);
    setSending(false);
    received(sent, message.text);
  }
  function received(sent: Sent, words: string): void {
    if ('error' in sent) {
      if (sent.error.code === 'ABORTED') return;
      setError(sent.error);
      if ((drafts.peek()[draftKey] ?? '') === '') write(words);
    } else {
      if (sessionId === null) goOnIn(sent.sessionId);
      started(sent.sessionId, sent.runId);
    }
  }
  /** What the person has written since the message that began a session belongs to that. */
  function goOnIn(session: string): void {
    if (area.current === null) return;
    const { [draftKey]: written, ...others } = drafts.peek();
    if (written) drafts.value = { ...others, [session]: written };
    if (document.activeElement === area.current) caretFor.value = session;
  }
  useLayoutEffect(() => {
    if (caretFor.peek() !== sessionId || sessionId === null) return;
    caretFor.value = null;
    area.current?.focus({ preventScroll: true });
    area.current?.setSelectionRange(text.length, text.length);
  }, []);
  // What an earlier visit left is sent without opening its session.
  useEffect(() => sendLeft((sent, message) => 'error' in sent && received(sent, message.text)), []);

  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
  useEffect(() => {
    if (isOpen) announce(t.skillsFound(skills.length));
  }, [isOpen, skills.length]);
  useShortcuts([
    {
      keys: '/',
      words: t.keySkills,
      act: openPicker,
    },
  ]);

  function onKeyDown(event: KeyboardEvent): void {
    // An input method takes Enter, arrows and Escape for itself.
    if (event.isComposing || event.keyCode === 229) return;
    if (isOpen && onPickerKey(event.key)) {
      event.preventDefault();
      return;
    }
    if (event.key !== 'Enter' || event.shiftKey || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      breakLine();
    } else if (!matchMedia('(pointer: coarse)').matches) {
      event.preventDefault();
      void submit();
    }
  }
  function onPickerKey(key: string): boolean {
    const chosen = skills[at];
    if (key === 'Escape') setPicking(false);
    else if (skills.length === 0) return false;
    else if (key === 'ArrowDown') setAt((now) => (now + 1) % skills.length);
    else if (key === 'ArrowUp') setAt((now) => (now + skills.length - 1) % skills.length);
    else if ((key === 'Enter' || key === 'Tab') && chosen) pick(chosen);
    else return false;
    return true;
  }
  function breakLine(): void {
    const element = area.current;
    if (!element) return;
    element.setRangeText('\n', element.selectionStart, element.selectionEnd, 'end');
    write(element.value);
  }
  const moved = () => setCaret(area.current?.selectionStart ?? 0);

  return (
    <>
      <WaitingMessages sessionId={sessionId} isBusy={isBusy} />
      {error && <Failure error={error} />}
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
          files.add(event.dataTransfer?.files ?? []);
        }}
      >
        {isOpen && <SkillPicker id={`${id}-skills`} skills={skills} at={at} pick={pick} />}
        <Attachments files={files.files} refused={files.refused} remove={files.remove} />
        <textarea
          ref={area}
          rows={1}
          maxLength={2_000_000}
          aria-label={t.message}
          placeholder={isDropping ? t.dropHere : placeholder(asks, isBusy, mode)}
          value={text}
          autocomplete="off"
          aria-autocomplete="list"
          aria-controls={isOpen ? `${id}-skills` : undefined}
          aria-activedescendant={isOpen && skills[at] ? `${id}-skills-${at}` : undefined}
          disabled={mayNot('write') && !isOffline.value}
          onKeyDown={onKeyDown}
          onKeyUp={moved}
          onClick={moved}
          onBlur={() => setPicking(false)}
          onInput={(event) => {
            write(event.currentTarget.value);
            moved();
            setAt(0);
            setPicking(event.currentTarget.value.startsWith('/'));
          }}
          onPaste={(event) => {
            const pasted = [...(event.clipboardData?.files ?? [])];
            if (pasted.length === 0) return;
            event.preventDefault();
            files.add(pasted);
          }}
        />
        {files.files.length > 0 && text.trim() === '' && <p class="hint-line">{t.needsText}</p>}
        <div class="tools">
          <button
            type="button"
            class="btn ghost small"
            aria-label={t.attach}
            title={limitsInWords()}
            onClick={() => picker.current?.click()}
          >
            <svg
              width="15"
              height="15"
              viewBox="0 0 15 15"
              fill="none"
              stroke="currentColor"
              stroke-width="1.5"
              aria-hidden="true"
            >
              <path d="M12.5 7 7.5 12a3 3 0 0 1-4.3-4.3l5.3-5.2a2 2 0 0 1 2.9 2.9l-5.1 5" />
            </svg>
          </button>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label={t.attach}
            onChange={(event) => {
              files.add(event.currentTarget.files ?? []);
              event.currentTarget.value = '';
            }}
          />
          <button
            type="button"
            class="btn ghost small"
            aria-expanded={isOpen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={openPicker}
          >
            <code>/</code> {t.skill}
          </button>
          {!isBusy || mode === 'queue' ? (
            <ModelPicker model={run?.steps.at(-1)?.model ?? null} chosen={model} choose={setModel} />
          ) : null}
          <span class="sp" />
          {run && <ContextMeter runId={run.runId} answers={run.steps.length} />}
          {isBusy && run && (
            <>
              <select
                class="btn ghost small"
                aria-label={t.whereTo}
                onChange={(event) => setMode(event.currentTarget.value as 'steer' | 'queue')}
              >
                <option value="steer" selected={mode === 'steer'}>
                  {t.thisRun}
                </option>
                <option value="queue" selected={mode === 'queue'}>
                  {t.nextRun}
                </option>
              </select>
              <StopButton key={run.runId} runId={run.runId} failed={setError} />
            </>
          )}
          <button type="button" class="btn small primary" disabled={!isReady} onClick={() => void submit()}>
            {isSending ? t.sending : isOffline.value ? t.keep : t.send} <kbd>↵</kbd>
          </button>
        </div>
      </div>
    </>
  );
}

function placeholder(asks: ComposerProps['asks'], isBusy: boolean, mode: 'steer' | 'queue'): string {
  if (isOffline.value) return t.placeholderOffline;
  if (mayNot('write')) return t.mayNotWrite;
  if (isBusy && mode === 'queue') return t.placeholderQueue;
  if (asks !== null) return asks === 'reconcile' ? t.placeholderReconcile : t.placeholderAsk;
  return isBusy ? t.placeholderSteer : t.placeholder;
}
