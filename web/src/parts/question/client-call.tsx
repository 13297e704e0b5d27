import { useId } from 'preact/hooks';
import { timeOfDay } from '../../base/format.ts';
import { mayTalk } from '../../data/connection.ts';
import { CallContent } from './call-content.tsx';
import { CallFacts } from './call-facts.tsx';
import { type QuestionProps, useDeciding } from './decide.ts';
import { DecidingNote } from './deciding-note.tsx';
import { QuestionFrame } from './question-frame.tsx';
import { t } from './words.ts';

/** A call that the program which began the run performs. A person here can only close it. */
export function ClientCall(props: QuestionProps) {
  const { run, question, n, m } = props;
  const { heldUntil = 0 } = question;
  const id = useId();
  const deciding = useDeciding(props);
  return (
    <QuestionFrame state="idle" title={t.clientTitle(question.name)} n={n} m={m} describedBy={`${id}-why`}>
      {() => (
        <>
          <p id={`${id}-why`} class="ask-words-plain">
            {t.clientWhy}
            {heldUntil > Date.now() && <> {t.heldUntil(timeOfDay(heldUntil, true))}</>}
          </p>
          <div class="grid">
            <CallContent question={question} />
            <CallFacts id={`${id}-facts`} run={run} question={question} tool={undefined} />
          </div>
          <DecidingNote deciding={deciding} mayDecide={mayTalk()} />
          <div class="acts">
            <span class="sp" />
            <button
              type="button"
              class="btn"
              disabled={!mayTalk() || deciding.isBusy}
              onClick={() => void deciding.send('client.result', { hash: question.argumentsHash })}
            >
              {deciding.isBusy ? t.deciding : t.clientClose}
            </button>
          </div>
        </>
      )}
    </QuestionFrame>
  );
}
