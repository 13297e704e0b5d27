import { DetentError } from '../protocol/error.ts';

export function fenced(runId: string): DetentError {
  return new DetentError(
    'FENCED',
    `run ${runId} was taken over by another driver, so this one stopped its work on it; see "detent runs show ${runId}"`,
    { details: { runId } },
  );
}

export function notFound(runId: string): DetentError {
  return new DetentError('NOT_FOUND', `no run "${runId}"; see "detent runs list"`, { details: { runId } });
}

export function noMachine(machine: string, known: Iterable<string>): DetentError {
  return new DetentError(
    'MIGRATION_NEEDED',
    `no machine "${machine}" here; use the program that made the run`,
    { details: { known: [...known] } },
  );
}

/** Whether another driver has the run that something was done to. */
export function isFenced(error: unknown): boolean {
  return DetentError.is(error) && error.code === 'FENCED';
}
