import { useId } from 'preact/hooks';
import { Icon } from '../../../parts/icon.tsx';
import type { TargetForm } from './target-form.ts';
import { t } from './words.ts';

interface TargetFieldsProps {
  label: string;
  hint: string;
  error: string | undefined;
  targets: readonly TargetForm[];
  set(targets: TargetForm[]): void;
}

const kinds = ['console', 'file', 'session', 'webhook'] as const;

/** A list of places that something is sent to. */
export function TargetFields({ label, hint, error, targets, set }: TargetFieldsProps) {
  const errorId = useId();
  const change = (index: number, changed: Partial<TargetForm>) =>
    set(targets.map((target, at) => (at === index ? { ...target, ...changed } : target)));
  return (
    <fieldset class="form-part" aria-describedby={error === undefined ? undefined : errorId}>
      <legend>{label}</legend>
      <p class="form-hint">{hint}</p>
      {targets.map((target, index) => (
        <div key={index} class="target">
          <select
            class="field"
            aria-label={t.kind(index + 1)}
            value={target.kind}
            onChange={({ currentTarget }) =>
              change(index, { kind: currentTarget.value as TargetForm['kind'], value: '' })
            }
          >
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {t[kind]}
              </option>
            ))}
          </select>
          {target.kind === 'console' && <span class="dim">{t.consoleMeans}</span>}
          {target.kind !== 'console' && (
            <input
              class="field"
              aria-label={t.target(index + 1)}
              aria-invalid={error === undefined ? undefined : true}
              placeholder={t[`${target.kind}Example`]}
              value={target.value}
              onInput={({ currentTarget }) => change(index, { value: currentTarget.value })}
            />
          )}
          {target.kind === 'webhook' && (
            <input
              class="field mono"
              aria-label={t.secret(index + 1)}
              placeholder={t.secretExample}
              value={target.secretEnv}
              onInput={({ currentTarget }) => change(index, { secretEnv: currentTarget.value })}
            />
          )}
          <button
            type="button"
            class="btn icon ghost"
            aria-label={t.removeDelivery(index + 1)}
            onClick={() => set(targets.filter((_, at) => at !== index))}
          >
            <Icon size={12} path="M2 2l8 8M10 2l-8 8" strokeWidth={1.6} />
          </button>
        </div>
      ))}
      {error !== undefined && (
        <p id={errorId} class="form-error">
          {error}
        </p>
      )}
      {targets.length < 10 && (
        <button
          type="button"
          class="btn small"
          onClick={() => set([...targets, { kind: 'session', value: '', secretEnv: '' }])}
        >
          {t.addDelivery}
        </button>
      )}
    </fieldset>
  );
}
