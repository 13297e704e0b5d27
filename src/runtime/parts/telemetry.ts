import { openReporting, type Reporting } from '../../telemetry/reporting.ts';
import type { DetentOptions } from '../config/detent-options.ts';

/** The log, and the reporting of failures that reach no caller. A reader writes no log. */
export function openTelemetry(
  { readonly, log = {}, logger, onError }: DetentOptions,
  workspace: string,
  redact: (text: string) => string,
): Promise<Reporting> {
  return openReporting({ config: readonly ? {} : log, logger, onError, workspace, redact });
}
