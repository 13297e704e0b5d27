import type { AnyOutcome } from '../../protocol/views.ts';
import type { CallStatus, ToolBody } from '../../store/stored-message.ts';

/** Maps Detent's terms to those of the Kotlin SDK, and back. */

const denials: ReadonlySet<string | null> = new Set(['REJECTED_BY_USER', 'REJECTED_BY_POLICY', 'EXPIRED']);

/** The SDK's error type for one of Detent's codes. */
export function errorTypeOf(code: string | null): string {
  if (code === 'TOOL_NOT_ALLOWED') return 'ToolNotAllowed';
  if (code === 'UNKNOWN_TOOL') return 'UnknownTool';
  return denials.has(code) ? 'PermissionDenied' : 'ToolError';
}

const codes: Readonly<Record<string, { code: string; status: CallStatus }>> = {
  ToolNotAllowed: { code: 'TOOL_NOT_ALLOWED', status: 'rejected' },
  UnknownTool: { code: 'UNKNOWN_TOOL', status: 'failed' },
  PermissionDenied: { code: 'REJECTED_BY_USER', status: 'rejected' },
};

/** The code and status of a failed call for the SDK's error type. */
export function failureOf(errorType: string | null | undefined): Pick<ToolBody, 'code' | 'status'> {
  return codes[errorType ?? ''] ?? { code: 'TOOL_FAILED', status: 'failed' };
}

const stopReasons: Partial<Record<AnyOutcome, string>> = {
  done: 'end',
  completed: 'end',
  provider_error: 'error',
  internal_error: 'error',
  poisoned: 'error',
};

/** The SDK's stop reason for a run's outcome; outcomes unknown to it keep their name. */
export function stopReasonOf(outcome: AnyOutcome): string {
  return stopReasons[outcome] ?? outcome;
}
