import './job-form.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ClientError } from '#src/client/index.ts';
import type { JobView } from '#src/protocol/views.ts';
import { announce } from '../../../base/announce.tsx';
import { readersTimeZone } from '../../../base/format.ts';
import { go, href } from '../../../base/place.ts';
import { asClientError, ask } from '../../../data/use-request.ts';
import { Failure } from '../../../parts/failure.tsx';
import { visible } from '../../../parts/visible.ts';
import { errorToKeep } from '../../../parts/why/finding.ts';
import { pathOf } from '../job-row.tsx';
import type { EditProps } from './edit-props.ts';
import { TextField } from './field.tsx';
import { type FormErrors, fieldOf, missingOf } from './form-errors.ts';
import { changeOf, inputOf } from './form-input.ts';
import { emptyForm, formOf, type JobFormState } from './form-state.ts';
import { Preview, usePreview } from './preview.tsx';
import { BoundFields, RuleFields } from './rule-fields.tsx';
import { TargetFields } from './target-fields.tsx';
import { WhatFields } from './what-fields.tsx';
import { WhenFields } from './when-fields.tsx';
import { t } from './words.ts';

const nothingWrong = { errors: {}, error: null };

/** Makes a job, or changes one. What the gateway refuses is said at the field that it is about. */
export function JobForm({ job }: { job: JobView | null }) {
  const zone = readersTimeZone();
  const [begun] = useState(() => (job === null ? emptyForm(zone) : formOf(job, zone)));
  const [form, setForm] = useState<JobFormState>(begun);
  const [sent, setSent] = useState<{ errors: FormErrors; error: ClientError | null }>(nothingWrong);
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
    const missing = missingOf(form, job === null);
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
      setSent(
        field === null
          ? { errors: {}, error }
          : { errors: { [field]: await errorToKeep(error) }, error: null },
      );
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
        {job === null && <TextField {...props} name="jobId" label={t.name} hint={t.nameHint} isWide />}
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
        {sent.error !== null && <Failure error={sent.error} />}
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
