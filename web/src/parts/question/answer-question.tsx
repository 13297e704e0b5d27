import { useId, useState } from 'preact/hooks';
import type { Answer, QuestionView } from '#src/protocol/views.ts';
import { useShortcuts } from '../../base/keys.ts';
import { mayTalk } from '../../data/connection.ts';
import { type Draft, draftOf, readDraft } from '../schema-form/draft.ts';
import { SchemaForm } from '../schema-form/schema-form.tsx';
import { shapeOf } from '../schema-form/shape.ts';
import { visible } from '../visible.ts';
import { CallFacts } from './call-facts.tsx';
import { askedInWords } from './call-title.ts';
import { type QuestionProps, useDeciding } from './decide.ts';
import { DecidingNote } from './deciding-note.tsx';
import { LongField } from './long-field.tsx';
import { QuestionFrame, type QuestionKeys } from './question-frame.tsx';
import { defaultsOfQuestion, schemaOfQuestion } from './question-schema.ts';
import { t } from './words.ts';

/** A question of the model, or of a tool at work: in words, with options, or as a form. */
export function AnswerQuestion(props: QuestionProps) {
  const { question, n, m } = props;
  const factsId = useId();
  const asked = question.question ?? { text: question.name };
  const { title, more } = askedInWords(asked.text);
  return (
    <QuestionFrame state="ask" title={title} n={n} m={m} describedBy={factsId}>
      {(keys) => (
        <>
          {more !== null && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
            <section class="ask-words-plain ask-whole" tabIndex={0} aria-label={t.wholeQuestion}>
              {more}
            </section>
          )}
          <AnswerBody {...props} factsId={factsId} asked={asked} keys={keys} key={asked.text} />
        </>
      )}
    </QuestionFrame>
  );
}

type AnswerBodyProps = QuestionProps & { factsId: string; asked: QuestionView; keys: QuestionKeys };

function AnswerBody({ factsId, asked, keys, ...props }: AnswerBodyProps) {
  const { run, question } = props;
  const deciding = useDeciding(props);
  const isAllowed = mayTalk() && !deciding.isBusy;
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [form, setForm] = useState<Draft>(undefined);
  const [areProblemsShown, showProblems] = useState(false);
  const shape = asked.fields ? shapeOf(schemaOfQuestion(asked), undefined) : null;
  const draft = form ?? (shape ? draftOf(shape, defaultsOfQuestion(asked)) : undefined);
  const read = shape ? readDraft(shape, draft) : null;
  const isReady = shape !== null || String(answer ?? '').trim() !== '';

  const send = (given: Answer | undefined) => {
    const { argumentsHash: hash } = question;
    // The question of a call at work has no hash: nothing is to run.
    const seen = hash === '' ? {} : { hash };
    void deciding.send('question.answer', { ...seen, ...(given !== undefined && { answer: given }) });
  };
  const submit = () => {
    if (!isAllowed || !isReady) return;
    if (read === null) return send(answer ?? undefined);
    showProblems(true);
    if (Object.keys(read.problems).length === 0) send(read.value as Answer);
  };
  useShortcuts([{ keys: 'Ctrl ↵', words: t.keyAnswer, inText: true, act: () => keys.act('Ctrl ↵', submit) }]);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div class="grid">
        {shape ? (
          <SchemaForm
            shape={shape}
            draft={draft}
            change={setForm}
            problems={areProblemsShown ? (read?.problems ?? {}) : {}}
            name={t.answer}
          />
        ) : asked.options ? (
          <Options asked={asked} answer={answer} choose={setAnswer} />
        ) : (
          <div class="ask-answer">
            <LongField
              label={t.answer}
              maxLength={100_000}
              value={typeof answer === 'string' ? answer : ''}
              write={setAnswer}
            />
          </div>
        )}
        <CallFacts id={factsId} run={run} question={question} tool={undefined} />
      </div>
      <DecidingNote deciding={deciding} mayDecide={mayTalk()} tooSoon={keys.tooSoon} />
      <div class="acts">
        <span class="sp" />
        <button type="button" class="btn" disabled={!isAllowed} onClick={() => send(undefined)}>
          {t.answerNone}
        </button>
        <button type="submit" class="btn primary" disabled={!isAllowed || !isReady}>
          <span>{deciding.isBusy ? t.deciding : t.answerSend}</span> <kbd>Ctrl ↵</kbd>
        </button>
      </div>
    </form>
  );
}

interface OptionsProps {
  asked: QuestionView;
  answer: Answer | null;
  choose(answer: Answer): void;
}

function Options({ asked, answer, choose }: OptionsProps) {
  const name = useId();
  const { options = [], multiple = false } = asked;
  const chosen = Array.isArray(answer) ? answer : [];
  const toggle = (option: string, isOn: boolean) =>
    choose(options.filter((one) => (one === option ? isOn : chosen.includes(one))));
  return (
    <fieldset class="ask-options">
      <legend class="label">{multiple ? t.chooseAny : t.chooseOne}</legend>
      {options.map((option) => (
        <label key={option}>
          <input
            type={multiple ? 'checkbox' : 'radio'}
            name={name}
            checked={multiple ? chosen.includes(option) : answer === option}
            onChange={(event) => (multiple ? toggle(option, event.currentTarget.checked) : choose(option))}
          />
          {visible(option)}
        </label>
      ))}
    </fieldset>
  );
}
