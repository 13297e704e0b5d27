import type { EditProps } from './edit-props.ts';
import { Field } from './field.tsx';
import type { FormField } from './form-state.ts';
import { TargetFields } from './target-fields.tsx';
import { t } from './words.ts';

type TextField = Extract<
  FormField,
  | 'grace'
  | 'window'
  | 'jitter'
  | 'pauseAfter'
  | 'alertAfter'
  | 'keep'
  | 'attempts'
  | 'budget'
  | 'timeout'
  | 'maxSteps'
  | 'maxTokens'
  | 'maxCostUsd'
>;

/** A short field of text or a number. */
function Short({
  form,
  set,
  errors,
  name,
  label,
  hint,
}: EditProps & { name: TextField; label: string; hint?: string }) {
  return (
    <Field label={label} hint={hint} error={errors[name]}>
      {(control) => (
        <input
          {...control}
          class="field"
          name={name}
          autocomplete="off"
          value={form[name]}
          onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  );
}

/** What becomes of slots that cannot run as they should. */
export function RuleFields(props: EditProps) {
  const { form, set, errors } = props;
  return (
    <details
      class="form-part"
      open={hasError(errors, [
        'misfire',
        'overlap',
        'grace',
        'window',
        'jitter',
        'pauseAfter',
        'alert',
        'alertAfter',
      ])}
    >
      <summary>{t.rules}</summary>
      <div class="form-row">
        <Field label={t.misfire} hint={t.misfireHint} error={errors.misfire}>
          {(control) => (
            <select
              {...control}
              class="field"
              name="misfire"
              value={form.misfire}
              onChange={({ currentTarget }) => set({ misfire: currentTarget.value as typeof form.misfire })}
            >
              <option value="skip">{t.misfireSkip}</option>
              <option value="once">{t.misfireOnce}</option>
              <option value="all">{t.misfireAll}</option>
            </select>
          )}
        </Field>
        <Field label={t.overlap} error={errors.overlap}>
          {(control) => (
            <select
              {...control}
              class="field"
              name="overlap"
              value={form.overlap}
              onChange={({ currentTarget }) => set({ overlap: currentTarget.value as typeof form.overlap })}
            >
              <option value="skip">{t.overlapSkip}</option>
              <option value="queue">{t.overlapQueue}</option>
              <option value="cancel-previous">{t.overlapCancel}</option>
            </select>
          )}
        </Field>
        <Short {...props} name="grace" label={t.grace} hint={t.graceHint} />
        <Short {...props} name="window" label={t.window} hint={t.windowHint} />
        <Short {...props} name="jitter" label={t.jitter} hint={t.jitterHint} />
        <Short {...props} name="pauseAfter" label={t.pauseAfter} hint={t.pauseAfterHint} />
      </div>
      <TargetFields
        label={t.alerts}
        hint={t.alertsHint}
        error={errors.alert}
        targets={form.alert}
        set={(alert) => set({ alert })}
      />
      {form.alert.length > 0 && <Short {...props} name="alertAfter" label={t.alertAfter} />}
    </details>
  );
}

/** What each run may use, and what is kept. */
export function BoundFields(props: EditProps) {
  // The services of a workflow have limits of their own.
  const isAgent = props.form.work === 'prompt';
  const names = ['maxSteps', 'maxTokens', 'maxCostUsd', 'timeout', 'budget', 'keep', 'attempts'] as const;
  return (
    <details class="form-part" open={hasError(props.errors, names)}>
      <summary>{t.bounds}</summary>
      <p class="form-hint">
        {t.ofEachRun} {t.needsAdmin}
      </p>
      <div class="form-row">
        {isAgent && <Short {...props} name="maxSteps" label={t.maxSteps} />}
        <Short {...props} name="maxTokens" label={t.maxTokens} />
        <Short {...props} name="maxCostUsd" label={t.maxCostUsd} />
        {isAgent && <Short {...props} name="timeout" label={t.timeout} hint={t.everyHint} />}
        <Short {...props} name="budget" label={t.budget} hint={t.budgetHint} />
        <Short {...props} name="keep" label={t.keep} />
        <Short {...props} name="attempts" label={t.attempts} />
      </div>
    </details>
  );
}

/** A part that is folded opens where something in it is wrong. */
function hasError(errors: EditProps['errors'], names: readonly FormField[]): boolean | undefined {
  return names.some((name) => errors[name] !== undefined) ? true : undefined;
}
