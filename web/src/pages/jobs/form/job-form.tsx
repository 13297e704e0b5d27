import './job-form.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobView } from '#src/protocol/job-view.ts';
import { announce } from '../../../base/announce.tsx';
import { go, href } from '../../../base/place.ts';
import { asClientError, ask } from '../../../data/use-request.ts';
import { Failure } from '../../../parts/failure.tsx';
import { visible } from '../../../parts/visible.ts';
import { pathOf } from '../job-row.tsx';
import type { EditProps } from './edit-props.ts';
import { Field } from './field.tsx';
import { changeOf, emptyForm, fieldOf, formOf, inputOf, type JobFormState, jsonOf } from './form-state.ts';
import { Preview, usePreview } from './preview.tsx';
import { BoundFields, RuleFields } from './rule-fields.tsx';
import { TargetFields } from './target-fields.tsx';
import { WhatFields } from './what-fields.tsx';
import { WhenFields } from './when-fields.tsx';
import { t } from './words.ts';

/** Makes a job, or changes one. What the gateway refuses is said at the field that it is about. */
export function JobForm({ job }: { job: JobView | null }) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [begun] = useState(() => (job === null ? emptyForm(zone) : formOf(job, zone)));
  const [form, setForm] = useState<JobFormState>(begun);
  const [sent, setSent] = useState<{ errors: EditProps['errors']; error: unknown }>({
    errors: {},
    error: null,
  });
  const [isSending, send] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const preview = usePreview(form);
  const errors = { ...preview.errors, ...sent.errors };
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [sent]);

  const set = (change: Partial<JobFormState>) => {
    setForm((now) => ({ ...now, ...change }));
    // What was wrong with a field is no more known once it changes.
    const left = Object.entries(sent.errors).filter(([field]) => !(field in change));
    if (left.length < Object.keys(sent.errors).length)
      setSent({ errors: Object.fromEntries(left), error: null });
  };

  const submit = async () => {
    if (job === null && form.jobId.trim() === '')
      return setSent({ errors: { jobId: t.needsName }, error: null });
    const missing = missingOf(form);
    if (missing !== null) return setSent({ errors: missing, error: null });
    send(true);
    try {
      const made =
        job === null
          ? await ask('cron.add', inputOf(form))
          : await ask('cron.update', { jobId: job.jobId, ...changeOf(form, begun) });
      announce(job === null ? t.created(made.jobId) : t.saved(made.jobId));
      go(job === null ? '/jobs' : pathOf(made.jobId));
    } catch (reason) {
      const error = asClientError(reason);
      const field = fieldOf(error);
      setSent(field === null ? { errors: {}, error } : { errors: { [field]: error.message }, error: null });
    }
    send(false);
  };

  const props: EditProps = { form, set, errors };
  const back = href(job === null ? '/jobs' : pathOf(job.jobId));
  return (
    <form
      ref={element}
      class="job-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h1>{job === null ? t.newTitle : t.editTitle(visible(job.jobId))}</h1>
      <div class="form-fields">
        {job === null && (
          <Field label={t.name} hint={t.nameHint} error={errors.jobId} isWide>
            {(control) => (
              <input
                {...control}
                class="field"
                name="jobId"
                autocomplete="off"
                value={form.jobId}
                onInput={({ currentTarget }) => set({ jobId: currentTarget.value })}
              />
            )}
          </Field>
        )}
        <WhenFields {...props} />
        <WhatFields {...props} />
        <TargetFields
          label={t.deliveries}
          hint={t.deliveriesHint}
          error={errors.deliver}
          targets={form.deliver}
          set={(deliver) => set({ deliver })}
        />
        <RuleFields {...props} />
        <BoundFields {...props} />
        {sent.error !== null && <Failure error={asClientError(sent.error)} />}
        <p class="form-end">
          <button type="submit" class="btn primary" disabled={isSending}>
            {job === null ? t.create : t.save}
          </button>
          <a class="btn ghost" href={back}>
            {t.cancel}
          </a>
        </p>
      </div>
      <Preview preview={preview} />
    </form>
  );
}

/** What the gateway need not be asked about. */
function missingOf({ work, prompt, workflow, input }: JobFormState): EditProps['errors'] | null {
  if (work === 'prompt') return prompt.trim() === '' ? { prompt: t.needsPrompt } : null;
  if (workflow === '') return { workflow: t.needsWorkflow };
  return jsonOf(input) === undefined ? { input: t.needsJson } : null;
}
