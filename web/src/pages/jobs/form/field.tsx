import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** What a control needs, so that its label, its hint and its error are read with it. */
export interface ControlProps {
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
export function Field({ label, hint, error, isWide = false, children }: FieldProps) {
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
