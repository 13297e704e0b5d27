import type { ComponentChildren } from 'preact';
import type { EditProps } from './edit-props.ts';
import { ChoiceField, TextField } from './field.tsx';
import type { FormErrors } from './form-errors.ts';
import type { FormField } from './form-state.ts';
import { TargetFields } from './target-fields.tsx';
import { t } from './words.ts';

const ruleNames = [
  'misfire',
  'overlap',
  'grace',
  'window',
  'jitter',
  'pauseAfter',
  'alert',
  'alertAfter',
] as const;
const boundNames = ['maxSteps', 'maxTokens', 'maxCostUsd', 'timeout', 'budget', 'keep', 'attempts'] as const;

/** What becomes of slots that cannot run as they should. */
export function RuleFields(props: EditProps) {
  const { form, set, errors } = props;
  const misfires = [
    ['skip', t.misfireSkip],
    ['once', t.misfireOnce],
    ['all', t.misfireAll],
  ] as const;
  const overlaps = [
    ['skip', t.overlapSkip],
    ['queue', t.overlapQueue],
    ['cancel-previous', t.overlapCancel],
  ] as const;
  return (
    <Folded title={t.rules} errors={errors} names={ruleNames}>
      <div class="form-row">
        <ChoiceField {...props} name="misfire" label={t.misfire} hint={t.misfireHint} options={misfires} />
        <ChoiceField {...props} name="overlap" label={t.overlap} options={overlaps} />
        <TextField {...props} name="grace" label={t.grace} hint={t.graceHint} />
        <TextField {...props} name="window" label={t.window} hint={t.windowHint} />
        <TextField {...props} name="jitter" label={t.jitter} hint={t.jitterHint} />
        <TextField {...props} name="pauseAfter" label={t.pauseAfter} hint={t.pauseAfterHint} />
      </div>
      <TargetFields
        label={t.alerts}
        hint={t.alertsHint}
        error={errors.alert}
        targets={form.alert}
        set={(alert) => set({ alert })}
      />
      {form.alert.length > 0 && <TextField {...props} name="alertAfter" label={t.alertAfter} />}
    </Folded>
  );
}

/** What each run may use, and what is kept. */
export function BoundFields(props: EditProps) {
  // The services of a workflow have limits of their own.
  const isAgent = props.form.work === 'prompt';
  return (
    <Folded title={t.bounds} errors={props.errors} names={boundNames}>
      <p class="form-hint">
        {t.ofEachRun} {t.needsAdmin}
      </p>
      <div class="form-row">
        {isAgent && <TextField {...props} name="maxSteps" label={t.maxSteps} />}
        <TextField {...props} name="maxTokens" label={t.maxTokens} />
        <TextField {...props} name="maxCostUsd" label={t.maxCostUsd} />
        {isAgent && <TextField {...props} name="timeout" label={t.timeout} hint={t.everyHint} />}
        <TextField {...props} name="budget" label={t.budget} hint={t.budgetHint} />
        <TextField {...props} name="keep" label={t.keep} />
        <TextField {...props} name="attempts" label={t.attempts} />
      </div>
    </Folded>
  );
}

interface FoldedProps {
  title: string;
  errors: FormErrors;
  names: readonly FormField[];
  children: ComponentChildren;
}

/** A part that is folded: it opens where something in it is wrong. */
function Folded({ title, errors, names, children }: FoldedProps) {
  const isWrong = names.some((name) => errors[name] !== undefined);
  return (
    <details class="form-part" open={isWrong || undefined}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
