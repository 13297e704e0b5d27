import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../../base/keys.ts';
import { may } from '../../data/connection.ts';
import { isForChart } from '../../data/runs.ts';
import { CallContent } from './call-content.tsx';
import { CallFacts } from './call-facts.tsx';
import { askedInWords, titleOf } from './call-title.ts';
import { ConfirmButtons } from './confirm-buttons.tsx';
import { type Panel, verdictInWords, verdictOf } from './confirm-verdict.ts';
import { mayDecide, type QuestionProps, useDeciding } from './decide.ts';
import { DecidingNote } from './deciding-note.tsx';
import { type GrantPattern, grantInWords, grantPattern } from './grant-pattern.ts';
import { LongField } from './long-field.tsx';
import { ModifyCall, useModified } from './modify-call.tsx';
import { QuestionFrame, type QuestionKeys } from './question-frame.tsx';
import { useTool } from './tools.ts';
import { t } from './words.ts';

/** A call that a person approves, rejects, or changes. */
export function ConfirmCall(props: QuestionProps) {
  const { question, n, m } = props;
  const factsId = useId();
  const title = question.asIs ? askedInWords(question.why).title : titleOf(question.name, question.arguments);
  return (
    <QuestionFrame state="ask" title={title} n={n} m={m} describedBy={factsId}>
      {(keys) => <ConfirmBody {...props} factsId={factsId} keys={keys} />}
    </QuestionFrame>
  );
}

type ConfirmBodyProps = QuestionProps & { factsId: string; keys: QuestionKeys };

function ConfirmBody({ factsId, keys, ...props }: ConfirmBodyProps) {
  const { run, question, isChanged } = props;
  const tool = useTool(question.name);
  const [reason, setReason] = useState('');
  const [isForSession, setForSession] = useState(false);
  const deciding = useDeciding(props);
  const modified = useModified(question.arguments, tool?.parameters);
  const { panel, area, open } = usePanel(deciding.forgive, modified.begin);
  const isAllowed = mayDecide(question) && !deciding.isBusy;
  const pattern = grantPattern(question.arguments, tool);
  const grant = isForSession ? { tool: question.name, pattern: { ...pattern } } : null;

  const act = () => {
    const verdict = verdictOf(panel, { reason, grant, modified: modified.take });
    if (verdict) void deciding.send('tool.confirm', { hash: question.argumentsHash, ...verdict });
  };
  const keyed = (pressed: string, perform: () => void) => ({
    keys: pressed,
    act: () => isAllowed && keys.act(pressed, perform),
  });
  useShortcuts([
    { ...keyed('Ctrl ↵', act), words: t.keyApprove, inText: true },
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
              <LongField
                label={isForChart(run) ? t.whyNotForChart : t.whyNot}
                maxLength={10_000}
                value={reason}
                write={setReason}
              />
            </div>
          )}
        </div>
        <CallFacts id={factsId} run={run} question={question} tool={tool} />
      </div>
      <DecidingNote deciding={deciding} mayDecide={mayDecide(question)} tooSoon={keys.tooSoon} />
      <div class="acts">
        {panel === 'none' && !question.asIs && may('approve') && (
          <SessionGrant name={question.name} pattern={pattern} isOn={isForSession} choose={setForSession} />
        )}
        <span class="sp" />
        <ConfirmButtons
          panel={panel}
          isAllowed={isAllowed}
          mayModify={!question.asIs}
          isReady={panel !== 'modify' || modified.isChanged}
          words={deciding.isBusy ? t.deciding : verdictInWords(panel, { reason, grant })}
          open={open}
          act={act}
        />
      </div>
    </div>
  );
}

/** The panel beside the call. Opened, it has the focus; closed, the heading has it, because its field is gone. */
function usePanel(forgive: () => void, beginToModify: () => void) {
  const [panel, setPanel] = useState<Panel>('none');
  const area = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (panel === 'none') return;
    const first = (within: string) =>
      area.current?.querySelector<HTMLElement>(`${within} :is(textarea, input, select)`);
    (first('[data-required]') ?? first(''))?.focus();
  }, [panel]);
  const open = (wanted: Panel) => {
    if (panel === wanted) area.current?.closest('section')?.querySelector('h2')?.focus();
    if (wanted === 'modify') beginToModify();
    setPanel(panel === wanted ? 'none' : wanted);
    forgive();
  };
  return { panel, area, open };
}

interface SessionGrantProps {
  name: string;
  pattern: GrantPattern;
  isOn: boolean;
  choose(isOn: boolean): void;
}

/** Whether later calls like this one run without asking, and exactly which ones those are. */
function SessionGrant({ name, pattern, isOn, choose }: SessionGrantProps) {
  const id = useId();
  return (
    <>
      <label class="scope">
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={id}
          onChange={(event) => choose(event.currentTarget.checked)}
        />{' '}
        {t.session}
      </label>
      <p id={id} class="scope-words" hidden={!isOn}>
        {t.sessionCovers} <span class="mono">{grantInWords(name, pattern)}</span>
      </p>
    </>
  );
}
