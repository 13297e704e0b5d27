import { useMemo, useState } from 'preact/hooks';
import type { JsonObject } from '#src/protocol/json.ts';
import { announce } from '../../base/announce.tsx';
import { go, runPath } from '../../base/place.ts';
import { writtenJson } from '../../base/written-json.ts';
import { may } from '../../data/connection.ts';
import { useAction } from '../../data/use-action.ts';
import { ask } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { draftOf, readDraft } from '../../parts/schema-form/draft.ts';
import { SchemaForm } from '../../parts/schema-form/schema-form.tsx';
import { shapeOf } from '../../parts/schema-form/shape.ts';
import { t } from './words.ts';

interface StartFormProps {
  id: string;
  /** The schema of its input; undefined if that is any JSON. */
  input: JsonObject | undefined;
}

/** Starts a run with an input, and opens it. The input has a field for each of its schema's. */
export function StartForm({ id, input }: StartFormProps) {
  const { isBusy, error, act } = useAction();
  const start = (value: unknown) =>
    act(async () => {
      const { runId } = await ask('workflow.start', { workflow: id, input: value });
      announce(t.started(id));
      go(runPath(runId));
    });
  const Form = input === undefined ? JsonStart : FieldsStart;
  return (
    <>
      <Form schema={input ?? {}} isBusy={isBusy} start={(value) => void start(value)} />
      {error && <Failure error={error} />}
    </>
  );
}

interface FormProps {
  schema: JsonObject;
  isBusy: boolean;
  start(value: unknown): void;
}

function FieldsStart({ schema, isBusy, start }: FormProps) {
  const shape = useMemo(() => shapeOf(schema, undefined), [schema]);
  const [draft, change] = useState(() => draftOf(shape, undefined));
  const [areProblemsShown, showProblems] = useState(false);
  const { value, problems } = readDraft(shape, draft);
  return (
    <form
      class="flow-fields"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        showProblems(true);
        if (Object.keys(problems).length === 0) start(value);
      }}
    >
      <SchemaForm
        shape={shape}
        draft={draft}
        change={change}
        problems={areProblemsShown ? problems : {}}
        name={t.inputName}
      />
      <StartButton isBusy={isBusy} />
    </form>
  );
}

function JsonStart({ isBusy, start }: FormProps) {
  const [text, write] = useState('');
  const [isWrong, tellWrong] = useState(false);
  return (
    <form
      class="flow-start"
      onSubmit={(event) => {
        event.preventDefault();
        const input = writtenJson(text);
        tellWrong(input === undefined);
        if (input !== undefined) start(input);
      }}
    >
      <label>
        {t.input}
        <textarea
          class="field mono"
          rows={2}
          placeholder="null"
          value={text}
          aria-invalid={isWrong}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
      </label>
      <StartButton isBusy={isBusy} />
      {isWrong && <p role="alert">{t.badJson}</p>}
    </form>
  );
}

function StartButton({ isBusy }: { isBusy: boolean }) {
  return (
    <button type="submit" class="btn primary" disabled={isBusy || !may('write')}>
      {t.start}
    </button>
  );
}
