import type { ClientRun } from '#src/client/index.ts';
import type { PendingView } from '#src/protocol/views.ts';
import { dayAndTime, shortId } from '../../base/format.ts';
import { href, runPath } from '../../base/place.ts';
import type { Tool } from '../../data/answers.ts';
import { isCustomer } from '../../data/connection.ts';
import { isForChart } from '../../data/runs.ts';
import { reasonInWords } from '../why/finding.ts';
import { repeatInWords, shortHash } from './call-title.ts';
import { t } from './words.ts';

interface CallFactsProps {
  id: string;
  run: ClientRun;
  question: PendingView;
  tool: Tool | undefined;
}

/** Why a call asks, what a repetition would do, which bytes were seen, when the question ends, and whose it is. */
export function CallFacts({ id, run, question, tool }: CallFactsProps) {
  const { waitsUntil, runId, parentRunId } = run;
  const ends =
    question.kind === 'confirm'
      ? t.expiresAt
      : question.kind === 'reconcile'
        ? isForChart(run)
          ? t.expiresForChart
          : t.expiresUncertain
        : t.expiresUnanswered;
  const isInside = !isCustomer();
  return (
    <dl id={id}>
      {/* What a workflow asks in words of its own is the heading. */}
      {!question.asIs && isInside && (
        <>
          <dt>{t.why}</dt>
          <dd>{reasonInWords(question)}</dd>
        </>
      )}
      {question.kind !== 'question' && isInside && (
        <>
          <dt>{t.ifRepeated}</dt>
          <dd>{repeatInWords(tool?.sideEffect)}</dd>
          <dt>{t.bytes}</dt>
          <dd class="mono" title={question.argumentsHash}>
            {shortHash(question.argumentsHash)}
          </dd>
        </>
      )}
      {waitsUntil !== undefined && (
        <>
          <dt>{t.expires}</dt>
          <dd>{ends(dayAndTime(waitsUntil))}</dd>
        </>
      )}
      {isInside && (
        <>
          <dt class="hide">{parentRunId === undefined ? t.call : t.bySubRun}</dt>
          <dd class="hide">
            {t.callOf(question.callId)}{' '}
            <a class="link" href={href(runPath(runId))}>
              {parentRunId === undefined ? shortId(runId) : t.subRun(shortId(runId))}
            </a>
          </dd>
        </>
      )}
    </dl>
  );
}
