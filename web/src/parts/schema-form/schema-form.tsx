import './schema-form.css';
import { useId } from 'preact/hooks';
import { type Draft, isSameDraft, type Problems } from './draft.ts';
import { FieldInput, type FieldsProps } from './field-input.tsx';
import type { Field, Shape } from './shape.ts';
import { t } from './words.ts';

interface SchemaFormProps {
  shape: Shape;
  draft: Draft;
  change(draft: Draft): void;
  problems: Problems;
  /** The draft that the form began with: fields that differ say so. */
  before?: Draft | undefined;
  /** What the value is called, where it has no fields. */
  name: string;
}

/** A form for a value of a JSON Schema. The caller keeps the draft (`draft.ts`), and reads its value. */
export function SchemaForm({ shape, draft, change, problems, before, name }: SchemaFormProps) {
  if (shape.kind === 'object' && draft?.kind === 'object')
    return (
      <Fields
        fields={shape.fields}
        path=""
        draft={draft}
        change={change}
        problems={problems}
        before={before}
      />
    );
  const field: Field = { name, shape, isRequired: true };
  return <OneField field={field} path="" draft={draft} change={change} problems={problems} before={before} />;
}

function Fields({ fields, path, draft, change, problems, before }: FieldsProps) {
  return (
    <div class="sf">
      {fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          path={path === '' ? field.name : `${path}.${field.name}`}
          draft={draft.fields[field.name]}
          change={(inner) => change({ ...draft, fields: { ...draft.fields, [field.name]: inner } })}
          problems={problems}
          before={before?.kind === 'object' ? before.fields[field.name] : undefined}
          isNew={before !== undefined && before.kind !== 'object'}
        />
      ))}
    </div>
  );
}

interface OneFieldProps {
  field: Field;
  path: string;
  draft: Draft;
  change(draft: Draft): void;
  problems: Problems;
  before?: Draft | undefined;
  isNew?: boolean;
}

const kinds = {
  text: () => t.kindText,
  boolean: () => t.kindBoolean,
  choice: () => t.kindChoice,
  choices: () => t.kindChoices,
  list: () => t.kindList,
  object: () => t.kindObject,
  union: () => t.kindUnion,
  json: () => t.kindJson,
  null: () => t.kindNull,
} as const;

/** A field with its name, what it takes, its input, and what is wrong with that. */
function OneField({ field, path, draft, change, problems, before, isNew = false }: OneFieldProps) {
  const { name, shape, isRequired } = field;
  const id = useId();
  const problem = problems[path];
  const kind =
    shape.kind === 'number' ? (shape.isInteger ? t.kindInteger : t.kindNumber) : kinds[shape.kind]();
  const isChanged = !isNew && before !== undefined && !isSameDraft(draft, before);
  // A box that is not ticked says no.
  const facts = t.facts([
    kind,
    ...(isRequired && shape.kind !== 'boolean' ? [t.isRequired] : []),
    ...(isChanged ? [t.isChanged] : []),
  ]);
  const isGroup =
    shape.kind === 'object' || shape.kind === 'list' || shape.kind === 'choices' || shape.kind === 'union';
  const label = (
    <>
      <b>{shape.title ?? name}</b> <span class="dim">{facts}</span>
    </>
  );
  const described =
    [shape.about && `${id}-about`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  const input = (
    <FieldInput
      Fields={Fields}
      id={id}
      field={field}
      path={path}
      draft={draft}
      change={change}
      problems={problems}
      before={before}
      described={described}
      isWrong={problem !== undefined}
    />
  );
  const body = (
    <>
      {shape.about && (
        <p id={`${id}-about`} class="sf-about">
          {shape.about}
        </p>
      )}
      {input}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="sf-problem">
          {problem}
        </p>
      )}
      {!isRequired && draft !== undefined && (
        <button type="button" class="btn small ghost sf-out" onClick={() => change(undefined)}>
          {t.leaveOut}
          <span class="sr">{`: ${shape.title ?? name}`}</span>
        </button>
      )}
    </>
  );
  if (isGroup)
    return (
      <fieldset class="sf-group" data-required={isRequired || undefined}>
        <legend class="label">{label}</legend>
        {body}
      </fieldset>
    );
  return (
    <div class="sf-field" data-required={isRequired || undefined}>
      <label class="label" for={id}>
        {label}
      </label>
      {body}
    </div>
  );
}
