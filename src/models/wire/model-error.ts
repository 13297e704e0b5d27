import type { ModelError, ModelErrorKind } from '../../protocol/content.ts';
import { modelErrorText } from '../../protocol/views.ts';
import { shortened } from '../../text/wording.ts';

/** True for kinds where the same call may succeed later without any change. */
const retryable: Record<ModelErrorKind, boolean> = {
  auth: false,
  permission: false,
  not_found: false,
  bad_request: false,
  context_overflow: false,
  rate_limit: true,
  overloaded: true,
  server: true,
  timeout: true,
  network: true,
  aborted: false,
  malformed: true,
};

/**
 * Makes a {@link ModelError} whose code and retryability follow from its kind, unless `facts` say otherwise.
 *
 * @param kind what went wrong; the code is `MODEL_` and the kind in capitals
 * @param message what happened and what to do, for people; must hold no secret
 * @param facts overrides (`code`, `retryable`) and what else is known (`status`, `providerCode`, `retryAfterMs`)
 */
export function modelError(
  kind: ModelErrorKind,
  message: string,
  facts: Partial<Omit<ModelError, 'kind' | 'message'>> = {},
): ModelError {
  return { kind, code: `MODEL_${kind.toUpperCase()}`, message, retryable: retryable[kind], ...facts };
}

/** Carries a {@link ModelError} through code that can only throw; never leaves `generate`. */
export class CallFailure extends Error {
  readonly error: ModelError;

  constructor(error: ModelError) {
    super(error.message);
    this.name = 'CallFailure';
    this.error = error;
  }
}

/** The error of a server that was silent for too long. @param hasBegun whether a part of its answer had come */
export function timedOut(origin: string, hasBegun: boolean, ms: number): CallFailure {
  return new CallFailure(
    modelError('timeout', modelErrorText(hasBegun ? 'model_silent' : 'model_late', { origin, ms })),
  );
}

/** The error of an answer whose body ended before the answer was complete. */
export function cutOff(origin: string): ModelError {
  return modelError('network', modelErrorText('model_cut_off', { origin }));
}

/** @throws CallFailure because `origin` sent an event that is not JSON */
export function malformed(origin: string, text: string): never {
  throw new CallFailure(
    modelError('malformed', modelErrorText('model_not_json', { origin, said: shortened(text, 170) })),
  );
}

/** @throws CallFailure because `origin` sent more than `maxChars` characters; the next attempt would do the same */
export function tooLong(origin: string, maxChars: number): never {
  const message = modelErrorText('model_too_long', { origin, max: maxChars });
  throw new CallFailure(modelError('malformed', message, { retryable: false }));
}
