import { useMemo, useState } from 'preact/hooks';
import { isObject, type JsonObject } from '#src/protocol/json.ts';
import { draftOf, readDraft } from '../schema-form/draft.ts';
import { SchemaForm } from '../schema-form/schema-form.tsx';
import { shapeOf } from '../schema-form/shape.ts';
import { SendForm } from './send-form.tsx';
import { t } from './words.ts';

export interface PayloadProps {
  type: string;
  send(payload: JsonObject): Promise<string | null>;
  close(): void;
}

/** A field for each of the schema's. */
export function FieldsSender({ type, schema, send, close }: PayloadProps & { schema: JsonObject }) {
  const shape = useMemo(() => shapeOf(schema, undefined), [schema]);
  const [draft, change] = useState(() => draftOf(shape, undefined));
  const [areProblemsShown, showProblems] = useState(false);
  const { value, problems } = readDraft(shape, draft);
  const submit = async () => {
    showProblems(true);
    if (Object.keys(problems).length > 0) return t.problems;
    return send(isObject(value) ? (value as JsonObject) : {});
  };
  return (
    <SendForm what={type} send={submit} close={close}>
      <div class="sender-fields">
        <SchemaForm
          shape={shape}
          draft={draft}
          change={change}
          problems={areProblemsShown ? problems : {}}
          name={t.payload}
        />
      </div>
    </SendForm>
  );
}
