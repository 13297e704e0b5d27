import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ClientRun, Input } from '#src/client/index.ts';
import type { PendingView } from '#src/protocol/run-view.ts';
import { useShortcuts } from '../../../base/keys.ts';
import { may } from '../../../data/connection.ts';
import { isForChart } from '../../../data/runs.ts';
import { CallContent } from './call-content.tsx';
import { CallFacts } from './call-facts.tsx';
import { askedInWords, titleOf } from './call-title.ts';
import { useDeciding } from './decide.ts';
import { DecidingNote } from './deciding-note.tsx';
import { grantPattern } from './grant-pattern.ts';
import { ModifyCall, useModified } from './modify-call.tsx';
import { QuestionFrame, type QuestionKeys } from './question-frame.tsx';
import { SessionGrant } from './session-grant.tsx';
import { useTool } from './tools.ts';
import { t } from './words.ts';

export interface QuestionProps {
  run: ClientRun;
  question: PendingView;
  n: number;
  m: number;
  /** The arguments are other ones than the person saw, who tried to decide. */
  isChanged: boolean;
  /** A decision stands. */
  settled(question: PendingView, decision: { stands: boolean }): void;
  /** The gateway says that the person saw something else. */
  changed(): void;
}

type Panel = 'none' | 'reject' | 'modify';

/** A call that a person approves, rejects, or changes. */
export function ConfirmCall({ run, question, n, m, isChanged, settled, changed }: QuestionProps) {
  const id = useId();
  const tool = useTool(question.name);
  return (
    <QuestionFrame
      state="ask"
      title={question.asIs ? askedInWords(question.why).title : titleOf(question.name, question.arguments)}
      n={n}
      m={m}
      describedBy={`${id}-facts`}
    >
      {(keys) => (
        <ConfirmBody
          id={id}
          tool={tool}
          keys={keys}
          run={run}
          question={question}
          isChanged={isChanged}
          settled={settled}
          changed={changed}
        />
      )}
    </QuestionFrame>
  );
}

type ConfirmBodyProps = Omit<QuestionProps, 'n' | 'm'> & {
  id: string;
  tool: ReturnType<typeof useTool>;
  keys: QuestionKeys;
};

function ConfirmBody({ id, tool, keys, run, question, isChanged, settled, changed }: ConfirmBodyProps) {
  const [panel, setPanel] = useState<Panel>('none');
  const [reason, setReason] = useState('');
  const [isForSession, setForSession] = useState(false);
  const deciding = useDeciding(changed);
  const modified = useModified(question.arguments, tool?.parameters);
  const area = useRef<HTMLDivElement>(null);
  const isAllowed = may('approve') && !deciding.isBusy;
  const pattern = grantPattern(question.arguments, tool);

  async function decide(verdict: Omit<Input<'tool.confirm'>, 'runId' | 'callId' | 'hash'>): Promise<void> {
    const { runId } = run;
    const { callId, argumentsHash: hash } = question;
    const decision = await deciding.send('tool.confirm', { runId, callId, hash, ...verdict });
    if (decision) settled(question, decision);
  }
  const approve = () =>
    decide({
      verdict: 'approve',
      ...(isForSession && { grant: { tool: question.name, pattern: { ...pattern } } }),
    });
  const reject = () => decide({ verdict: 'reject', ...(reason.trim() !== '' && { reason: reason.trim() }) });
  const approveChanged = () => {
    const args = modified.take();
    if (args) void decide({ verdict: 'modify', arguments: args });
  };
  const act = panel === 'reject' ? reject : panel === 'modify' ? approveChanged : approve;
  const open = (wanted: Panel) => {
    // The field that has the focus is about to go.
    if (panel === wanted) area.current?.closest('section')?.querySelector('h2')?.focus();
    if (wanted === 'modify') modified.begin();
    setPanel(panel === wanted ? 'none' : wanted);
    deciding.forgive();
  };
  useLayoutEffect(() => {
    if (panel === 'none') return;
    // Of a form the text, which is what people change, before its short fields.
    const fields = area.current?.querySelectorAll<HTMLElement>('textarea, input, select') ?? [];
    ([...fields].find((field) => field instanceof HTMLTextAreaElement) ?? fields[0])?.focus();
  }, [panel]);
  const keyed = (pressed: string, perform: () => unknown) => ({
    keys: pressed,
    act: () => isAllowed && keys.act(pressed, perform),
  });
  useShortcuts([
    { ...keyed('Ctrl ↵', () => void act()), words: t.keyApprove, inText: true },
    { ...keyed('R', () => open('reject')), words: t.keyReject },
    ...(question.asIs ? [] : [{ ...keyed('M', () => open('modify')), words: t.keyModify }]),
  ]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what is open within, before it can mean the run
    <div
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing || panel === 'none') return;
        event.preventDefault();
        open(panel);
      }}
    >
      {isChanged && (
        <p class="ask-note" role="alert">
          {t.changed}
        </p>
      )}
      <div class="grid">
        <div ref={area}>
          {panel === 'modify' ? (
            <ModifyCall modified={modified} before={question.arguments} />
          ) : (
            <CallContent question={question} />
          )}
          {panel === 'reject' && (
            <div class="extra">
              <label class="label" for={`${id}-why`}>
                {isForChart(run) ? t.whyNotForChart : t.whyNot}
              </label>
              <textarea
                class="field"
                id={`${id}-why`}
                rows={2}
                maxLength={10_000}
                value={reason}
                onInput={(event) => setReason(event.currentTarget.value)}
              />
            </div>
          )}
        </div>
        <CallFacts id={`${id}-facts`} run={run} question={question} tool={tool} />
      </div>
      <DecidingNote deciding={deciding} scope="approve" tooSoon={keys.tooSoon} />
      <div class="acts">
        {panel === 'none' && !question.asIs && (
          <SessionGrant name={question.name} pattern={pattern} isOn={isForSession} choose={setForSession} />
        )}
        <span class="sp" />
        <button
          type="button"
          class="btn"
          aria-expanded={panel === 'reject'}
          disabled={!isAllowed}
          onClick={() => open('reject')}
        >
          {panel === 'reject' ? t.back : t.reject} <kbd>R</kbd>
        </button>
        {panel !== 'reject' && !question.asIs && (
          <button
            type="button"
            class="btn"
            aria-expanded={panel === 'modify'}
            aria-pressed={panel === 'modify'}
            disabled={!isAllowed}
            onClick={() => open('modify')}
          >
            {t.modify} <kbd>M</kbd>
          </button>
        )}
        <button
          type="button"
          class="btn primary"
          disabled={!isAllowed || (panel === 'modify' && !modified.isChanged)}
          onClick={() => void act()}
        >
          <span>{deciding.isBusy ? t.deciding : actWords(panel, reason, isForSession)}</span>{' '}
          <kbd>Ctrl ↵</kbd>
        </button>
      </div>
    </div>
  );
}

function actWords(panel: Panel, reason: string, isForSession: boolean): string {
  if (panel === 'reject') return reason.trim() === '' ? t.rejectOnly : t.rejectWith;
  if (panel === 'modify') return t.approveChanged;
  return isForSession ? t.approveSession : t.approve;
}
