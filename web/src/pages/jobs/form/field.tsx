import type { ComponentChildren, RefObject } from 'preact';
import { useId } from 'preact/hooks';
import type { EditProps } from './edit-props.ts';
import type { FormField, JobFormState } from './form-state.ts';

/** What a control needs, so that its label, its hint and its error are read with it. */
interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
}

interface FieldProps {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  /** Leaves more room. */
  isWide?: boolean;
  children(control: ControlProps): ComponentChildren;
}

/** A control with its label, a hint, and what the gateway says is wrong with it. */
function Field({ label, hint, error, isWide = false, children }: FieldProps) {
  const id = useId();
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`];
  const described = [error && errorId, hint && hintId].filter(Boolean).join(' ');
  return (
    <div class={isWide ? 'form-field wide' : 'form-field'}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {error && (
        <p id={errorId} class="form-error">
          {error}
        </p>
      )}
      {hint && (
        <p id={hintId} class="form-hint">
          {hint}
        </p>
      )}
    </div>
  );
}

/** The fields of the form that a person writes, or chooses of a list. */
type WrittenField = { [Name in FormField]: JobFormState[Name] extends string ? Name : never }[FormField];

interface ControlOf<Name extends WrittenField>
  extends EditProps,
    Pick<FieldProps, 'label' | 'hint' | 'isWide'> {
  name: Name;
}

interface TextFieldProps extends ControlOf<WrittenField> {
  /** It is an expression, or code. */
  isCode?: boolean;
  type?: 'datetime-local';
  /** What the browser proposes. */
  proposals?: readonly string[];
}

/** A line of text, or a number. */
export function TextField({ form, set, errors, name, label, hint, isWide, ...input }: TextFieldProps) {
  const { isCode = false, type, proposals } = input;
  const listId = useId();
  return (
    <Field label={label} hint={hint} error={errors[name]} isWide={isWide ?? false}>
      {(control) => (
        <>
          <input
            {...control}
            class={isCode ? 'field mono' : 'field'}
            name={name}
            type={type}
            list={proposals && listId}
            autocomplete="off"
            spellcheck={isCode ? false : undefined}
            value={form[name]}
            onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
          />
          {proposals && (
            <datalist id={listId}>
              {proposals.map((value) => (
                <option key={value} value={value} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

interface LongFieldProps extends ControlOf<'prompt' | 'input'> {
  rows: number;
  isCode?: boolean;
  placeholder?: string;
  area?: RefObject<HTMLTextAreaElement | null>;
}

/** Lines of text. */
export function LongField({ form, set, errors, name, label, hint, isCode, area, ...rest }: LongFieldProps) {
  return (
    <Field label={label} hint={hint} error={errors[name]} isWide>
      {(control) => (
        <textarea
          {...control}
          ref={area}
          class={isCode ? 'field mono' : 'field'}
          name={name}
          rows={rest.rows}
          placeholder={rest.placeholder}
          value={form[name]}
          onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  );
}

interface ChoiceFieldProps<Name extends WrittenField> extends ControlOf<Name> {
  /** Each with its words. */
  options: readonly (readonly [value: JobFormState[Name], words: string])[];
}

/** One of a list. */
export function ChoiceField<Name extends WrittenField>(props: ChoiceFieldProps<Name>) {
  const { form, set, errors, name, label, hint, options } = props;
  return (
    <Field label={label} hint={hint} error={errors[name]}>
      {(control) => (
        <select
          {...control}
          class="field"
          name={name}
          value={form[name]}
          onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
        >
          {options.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
