import type { JobChange, JobInput } from '#src/protocol/methods.ts';
import { writtenJson } from '../../../base/written-json.ts';
import { emptyForm, type JobFormState } from './form-state.ts';
import { targetOf } from './target-form.ts';
import { momentOf, msOf, numberOf, spanOf } from './written.ts';

const limitNames = ['maxSteps', 'maxTokens', 'maxCostUsd'] as const;
/** What the services of a workflow may spend together: it has no limits of its own. */
const flowLimitNames = ['maxTokens', 'maxCostUsd'] as const;

/** When the form's job is due, for the gateway; null while nothing is written. */
export function scheduleOf(
  form: JobFormState,
): Pick<JobInput, 'cron' | 'dialect' | 'timeZone' | 'every' | 'at'> | null {
  if (form.kind === 'every') return form.every.trim() === '' ? null : { every: spanOf(form.every) };
  if (form.kind === 'at') return form.at === '' ? null : { at: momentOf(form.at) };
  if (form.cron.trim() === '') return null;
  const { cron, dialect, timeZone } = form;
  return {
    cron,
    ...(dialect !== '' && { dialect }),
    ...(timeZone.trim() !== '' && { timeZone: timeZone.trim() }),
  };
}

/** Every field of the form but its name and its time. */
function settingsOf(form: JobFormState): JobChange {
  const word = (text: string) => (text.trim() === '' ? null : text.trim());
  return {
    ...(form.work === 'workflow'
      ? {
          ...{ workflow: form.workflow, input: writtenJson(form.input) },
          ...{ agent: null, model: null, session: null, skill: null },
        }
      : {
          ...{ prompt: form.prompt, agent: word(form.agent), model: word(form.model) },
          ...{ session: word(form.session), skill: word(form.skill) },
        }),
    delivery: form.deliver.map(targetOf),
    misfire: form.misfire,
    overlap: form.overlap,
    grace: spanOf(form.grace),
    window: form.window.trim() === '' ? null : spanOf(form.window),
    jitter: spanOf(form.jitter),
    pauseAfter: numberOf(form.pauseAfter),
    alert: form.alert.map(targetOf),
    alertAfter: numberOf(form.alertAfter),
    keep: numberOf(form.keep) ?? undefined,
    attempts: numberOf(form.attempts) ?? undefined,
    limits: limitsOf(form),
    budget: word(form.budget),
  };
}

function limitsOf(form: JobFormState): JobChange['limits'] {
  const isFlow = form.work === 'workflow';
  const written = (isFlow ? flowLimitNames : limitNames)
    .filter((name) => form[name].trim() !== '')
    .map((name) => [name, numberOf(form[name])]);
  const timeout = form.timeout.trim() === '' ? {} : { timeoutMs: msOf(form.timeout) };
  const own = isFlow ? {} : { ...form.otherLimits, ...timeout };
  const limits = { ...own, ...Object.fromEntries(written) };
  return Object.keys(limits).length === 0 ? null : limits;
}

/** What the gateway is sent: the fields that differ from those that the form began with, so that what Detent decides stays its own. */
export function changeOf(form: JobFormState, begun: JobFormState): JobChange {
  const [now, before] = [settingsOf(form), settingsOf(begun)];
  const isOther = (key: string) =>
    JSON.stringify(now[key as keyof JobChange]) !== JSON.stringify(before[key as keyof JobChange]);
  const changed = Object.fromEntries(
    Object.entries(now).filter(([key, value]) => value !== undefined && isOther(key)),
  );
  // The input of another workflow is not its own, although it reads the same.
  const input = 'workflow' in changed ? { input: now.input } : {};
  const schedule = scheduleOf(form);
  const isOtherTime = JSON.stringify(schedule) !== JSON.stringify(scheduleOf(begun));
  return { ...changed, ...input, ...(isOtherTime && schedule) };
}

/** A new job. */
export function inputOf(form: JobFormState): JobInput {
  const { prompt: _, ...settings } = changeOf(form, { ...emptyForm(form.timeZone), cron: '', every: '' });
  const asked = form.work === 'prompt' ? { prompt: form.prompt } : {};
  return { jobId: form.jobId.trim(), ...scheduleOf(form), ...settings, ...asked };
}
