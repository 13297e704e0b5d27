import type { ClientError } from '#src/client/index.ts';
import { writtenJson } from '../../../base/written-json.ts';
import { emptyForm, type FormField, type JobFormState } from './form-state.ts';
import { t } from './words.ts';

/** What is wrong with each field, in words. */
export type FormErrors = Partial<Record<FormField, string>>;

/** What the gateway need not be asked about; null when nothing is missing. */
export function missingOf(form: JobFormState, isNew: boolean): FormErrors | null {
  if (isNew && form.jobId.trim() === '') return { jobId: t.needsName };
  if (form.work === 'prompt') return form.prompt.trim() === '' ? { prompt: t.needsPrompt } : null;
  if (form.workflow === '') return { workflow: t.needsWorkflow };
  return writtenJson(form.input) === undefined ? { input: t.needsJson } : null;
}

/** Which field of the form an error of the gateway is about; null for none of them. */
export function fieldOf({ code, details }: Pick<ClientError, 'code' | 'details'>): FormField | null {
  // Its problems are within the input.
  if (code === 'INVALID_INPUT') return 'input';
  const problems = details.problems as { field?: string }[] | undefined;
  const named = typeof details.field === 'string' ? details.field : problems?.[0]?.field;
  if (named !== undefined) return byName(named);
  return byCode[code] ?? null;
}

const byCode: Readonly<Record<string, FormField>> = {
  INVALID_CRON: 'cron',
  UNKNOWN_TIME_ZONE: 'timeZone',
  JOB_EXISTS: 'jobId',
  UNKNOWN_AGENT: 'agent',
  UNKNOWN_WORKFLOW: 'workflow',
  UNKNOWN_SKILL: 'skill',
  UNKNOWN_BUDGET: 'budget',
  INVALID_SESSION: 'deliver',
  SESSION_OF_ANOTHER_USER: 'deliver',
};

function byName(path: string): FormField | null {
  const [name = '', inner = ''] = path.split('.');
  if (name === 'delivery') return 'deliver';
  const field = name === 'limits' ? (inner === 'timeoutMs' ? 'timeout' : inner) : name;
  return field in emptyForm('') ? (field as FormField) : null;
}
