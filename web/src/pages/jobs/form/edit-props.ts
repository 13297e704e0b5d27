import type { FormErrors } from './form-errors.ts';
import type { JobFormState } from './form-state.ts';

/** What each part of the form gets. */
export interface EditProps {
  form: JobFormState;
  set(change: Partial<JobFormState>): void;
  errors: FormErrors;
}
