import { DetentError } from './error.ts';

/** The error for a small file that another process is changing, and does not finish. */
export function fileBusy(file: string): DetentError {
  return new DetentError(
    'FILE_BUSY',
    `another process has been changing ${file} for ten seconds; try again`,
    {
      details: { file },
      retryable: true,
    },
  );
}
