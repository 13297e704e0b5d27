import type { ComponentType } from 'preact';
import { type Draft, draftOf, emptyDraft, itemOf, type Problems } from './draft.ts';
import type { Field, Shape } from './shape.ts';
import { t } from './words.ts';

export interface FieldsProps {
  fields: readonly Field[];
  path: string;
  draft: Draft & { kind: 'object' };
  change(draft: Draft): void;
  problems: Problems;
  before?: Draft | undefined;
}

interface FieldInputProps {
  /** What draws the fields of an object within this field. */
  Fields: ComponentType<FieldsProps>;
  id: string;
  field: Field;
  path: string;
  draft: Draft;
  change(draft: Draft): void;
  problems: Problems;
  before?: Draft | undefined;
  /** Ids of what describes the input, for screen readers. */
  described?: string | undefined;
  isWrong: boolean;
}

/** The input of a field. One that is left out has a button, or an empty input, that begins it. */
export function FieldInput(props: FieldInputProps) {
  const { id, field, draft, change, described, isWrong, Fields } = props;
  const { shape, isRequired, name } = field;
  const common = { id, 'aria-describedby': described, 'aria-invalid': isWrong || undefined };
  switch (shape.kind) {
    case 'text':
    case 'number':
    case 'json': {
      const { kind } = shape;
      const text = draft && 'text' in draft ? draft.text : '';
      const isLong = kind === 'json' || (kind === 'text' && (shape.isLong || text.includes('\n')));
      const shared = {
        ...common,
        class: `field mono${isLong ? ' sf-long' : ''}`,
        value: text,
        placeholder: draft === undefined && !isRequired ? t.leftOut : undefined,
        'aria-required': isRequired || undefined,
        spellcheck: false,
        onInput: (event: { currentTarget: { value: string } }) =>
          change({ kind, text: event.currentTarget.value }),
      };
      if (isLong)
        return <textarea {...shared} rows={Math.min(9, Math.max(3, text.split('\n').length + 1))} />;
      return (
        <input
          {...shared}
          type="text"
          inputMode={kind === 'number' ? 'decimal' : undefined}
          autocomplete="off"
        />
      );
    }
    case 'boolean':
      if (isRequired)
        return (
          <input
            {...common}
            type="checkbox"
            checked={draft?.kind === 'boolean' && draft.isOn}
            onChange={(event) => change({ kind: 'boolean', isOn: event.currentTarget.checked })}
          />
        );
      return (
        <Select
          {...common}
          options={[t.yes, t.no]}
          chosen={draft?.kind === 'boolean' ? (draft.isOn ? 0 : 1) : -1}
          none={t.leftOut}
          choose={(at) => change(at < 0 ? undefined : { kind: 'boolean', isOn: at === 0 })}
        />
      );
    case 'choice':
      return (
        <Select
          {...common}
          options={shape.options.map(({ title }) => title)}
          chosen={draft?.kind === 'choice' ? draft.at : -1}
          none={isRequired ? t.choose : t.leftOut}
          choose={(at) => change(at < 0 ? undefined : { kind: 'choice', at })}
        />
      );
    case 'null':
      return (
        <output id={id} class="dim">
          null
        </output>
      );
    case 'choices':
      return <Choices shape={shape} draft={draft} change={change} />;
    case 'list':
      if (draft?.kind !== 'list') return <Begin shape={shape} name={name} change={change} />;
      return <List {...props} shape={shape} draft={draft} />;
    case 'object':
      if (draft?.kind !== 'object') return <Begin shape={shape} name={name} change={change} />;
      return (
        <Fields
          fields={shape.fields}
          path={props.path}
          draft={draft}
          change={change}
          problems={props.problems}
          before={props.before}
        />
      );
    case 'union':
      if (draft?.kind !== 'union') return <Begin shape={shape} name={name} change={change} />;
      return <Union {...props} shape={shape} draft={draft} />;
  }
}

interface SelectProps {
  id: string;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: true | undefined;
  options: readonly string[];
  /** -1 for none. */
  chosen: number;
  none: string;
  choose(at: number): void;
}

function Select({ options, chosen, none, choose, ...rest }: SelectProps) {
  return (
    <select {...rest} class="field" onChange={(event) => choose(Number(event.currentTarget.value))}>
      <option value="-1" selected={chosen < 0}>
        {none}
      </option>
      {options.map((title, at) => (
        <option key={at} value={at} selected={at === chosen}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** A value that is left out, and how to begin it. */
function Begin({ shape, name, change }: { shape: Shape; name: string; change(draft: Draft): void }) {
  return (
    <p>
      <span class="dim">{t.leftOut}</span>{' '}
      <button type="button" class="btn small" onClick={() => change(emptyDraft(shape))}>
        {t.add}
        <span class="sr">{` ${name}`}</span>
      </button>
    </p>
  );
}

function Choices({
  shape,
  draft,
  change,
}: {
  shape: Shape & { kind: 'choices' };
  draft: Draft;
  change(draft: Draft): void;
}) {
  const chosen = draft?.kind === 'choices' ? draft.chosen : [];
  const set = (at: number, isOn: boolean) => {
    const others = chosen.filter((one) => one !== at);
    change({ kind: 'choices', chosen: (isOn ? [...others, at] : others).toSorted((a, b) => a - b) });
  };
  return (
    <div class="sf-choices">
      {shape.options.map(({ title }, at) => (
        <label key={title}>
          <input
            type="checkbox"
            checked={chosen.includes(at)}
            onChange={(event) => set(at, event.currentTarget.checked)}
          />
          {title}
        </label>
      ))}
    </div>
  );
}

type ListProps = Omit<FieldInputProps, 'draft'> & {
  shape: Shape & { kind: 'list' };
  draft: Draft & { kind: 'list' };
};

function List({ id, shape, draft, field, path, change, problems, Fields }: ListProps) {
  const name = shape.title ?? field.name;
  const put = (at: number, inner: Draft) =>
    change({ ...draft, items: draft.items.map((item, i) => (i === at ? { ...item, draft: inner } : item)) });
  return (
    <>
      <ol class="sf-list">
        {draft.items.map((item, at) => {
          const inner = `${path}.${at}`;
          return (
            <li key={at}>
              <div>
                <label class="sr" for={`${id}-${at}`}>
                  {t.entry(at + 1)}
                </label>
                <FieldInput
                  Fields={Fields}
                  id={`${id}-${at}`}
                  field={{ name: t.entry(at + 1), shape: item.shape, isRequired: true }}
                  path={inner}
                  draft={item.draft}
                  change={(changed) => put(at, changed)}
                  problems={problems}
                  described={problems[inner] === undefined ? undefined : `${id}-${at}-problem`}
                  isWrong={problems[inner] !== undefined}
                />
                {problems[inner] !== undefined && (
                  <p id={`${id}-${at}-problem`} class="sf-problem">
                    {problems[inner]}
                  </p>
                )}
              </div>
              <button
                type="button"
                class="btn small ghost"
                aria-label={t.remove(name, at + 1)}
                onClick={() => change({ ...draft, items: draft.items.filter((_, i) => i !== at) })}
              >
                ×
              </button>
            </li>
          );
        })}
      </ol>
      <button
        type="button"
        class="btn small"
        aria-label={t.addEntry(name)}
        onClick={() => change({ ...draft, items: [...draft.items, itemOf(shape)] })}
      >
        {t.add}
      </button>
    </>
  );
}

type UnionProps = Omit<FieldInputProps, 'draft'> & {
  shape: Shape & { kind: 'union' };
  draft: Draft & { kind: 'union' };
};

function Union({ id, shape, draft, field, path, change, problems, described, isWrong, Fields }: UnionProps) {
  const variant = shape.variants[draft.at];
  const choose = (at: number) => {
    const chosen = shape.variants[at];
    if (chosen) change({ kind: 'union', at, draft: draftOf(chosen.shape, undefined) });
  };
  return (
    <div class="sf-union">
      <select
        id={id}
        class="field"
        aria-label={field.shape.title ?? field.name}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {shape.variants.map(({ name }, at) => (
          <option key={name} value={at} selected={at === draft.at}>
            {name}
          </option>
        ))}
      </select>
      {variant && variant.shape.kind !== 'null' && (
        <div>
          <label class="sr" for={`${id}-value`}>
            {field.shape.title ?? field.name}
          </label>
          <FieldInput
            Fields={Fields}
            id={`${id}-value`}
            field={{ name: variant.name, shape: variant.shape, isRequired: true }}
            path={path}
            draft={draft.draft}
            change={(inner) => change({ ...draft, draft: inner })}
            problems={problems}
            described={described}
            isWrong={isWrong}
          />
        </div>
      )}
    </div>
  );
}
