import type { FormField, JobFormState } from './form-state.ts';

/** What each part of the form gets. */
export interface EditProps {
  form: JobFormState;
  set(change: Partial<JobFormState>): void;
  errors: Partial<Record<FormField, string>>;
}
