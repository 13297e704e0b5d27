import { type Caller, onlyTalks } from '../../protocol/access.ts';
import type { FrameError } from '../../protocol/frames.ts';
import { ownWords, sentences } from './sentences.ts';

/** What only the person who runs the gateway can use: addresses, files, commands and their flags, environment variables. */
const operators = [
  /[a-z][a-z0-9+.-]*:\/\//i,
  /(?<![\w/])~?\/[\w.~-]/,
  /\b[a-z]:[\\/]/i,
  /\b(?:\d{1,3}\.){3}\d{1,3}\b|\blocalhost\b|\[[0-9a-f:]*::[0-9a-f:]*\]|[\w.-]:\d{2,5}\b/i,
  /\bdetent\s+[a-z]|(?<![\w-])--[a-z]/i,
  /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/,
  /[\w-]\.(?:ya?ml|json|[cm]?[jt]sx?|db|sqlite|env|md|toml|sh)\b/i,
];

/** Facts of an error that are about the client's own request. */
const ownFacts: ReadonlySet<string> = new Set([
  ...['field', 'fields', 'problems', 'missing', 'known', 'nearest', 'max', 'maxBytes', 'maxSubscriptions'],
  ...['runId', 'sessionId', 'jobId', 'callId', 'invocation', 'status', 'kind', 'verdict', 'askedBy'],
  ...['seq', 'code', 'timeZone', 'dialect', 'tool', 'until', 'takenBy', 'since', 'passedAt'],
  ...['bytes', 'count', 'first', 'last', 'n', 'type', 'word', 'runIds', 'runs', 'behind', 'grant'],
]);

/** Whether a client reads what is meant for the person who runs the gateway. A stranger does not. */
export function isOperator(caller: Pick<Caller, 'scopes'> | null | undefined): boolean {
  return caller?.scopes.includes('admin') ?? false;
}

/**
 * How much a client reads: all; nothing that is meant for the person who runs the gateway; or neither that nor the inside of
 * runs.
 */
export type Reader = 'operator' | 'client' | 'talker';

export function readerOf(caller: Pick<Caller, 'scopes'>): Reader {
  if (isOperator(caller)) return 'operator';
  return onlyTalks(caller) ? 'talker' : 'client';
}

/** Whether a text names something of the host. */
export function isOfOperator(text: string): boolean {
  return operators.some((pattern) => pattern.test(text));
}

/**
 * An error as a client without the scope `admin` reads it: its code, and a sentence that names nothing of the host. Only codes whose
 * message is about the client's own request keep it, and only while it names nothing of the host either.
 */
export function inClientWords<E extends { code: string; message: string; retryable?: boolean }>(error: E): E {
  const { code, message, retryable = false } = error;
  if (ownWords.has(code) && !isOfOperator(message)) return error;
  return {
    ...error,
    message: sentences[code] ?? (retryable ? 'this failed; try again later' : 'this failed'),
  };
}

/** The same of an answer to a request, with the facts that are about the request. */
export function refusalInClientWords(error: FrameError): FrameError {
  const { details = {}, ...rest } = inClientWords(error);
  // The developer of the client reads there what was wrong with the request.
  if (error.code === 'INVALID_REQUEST' && !details.problems)
    details.problems = [{ field: details.field ?? '', message: error.message }];
  // That of the run says more.
  const ofRun = error.code === 'RUN_FAILED' ? sentences[String(details.code)] : undefined;
  const own = Object.entries(details).filter(
    ([name, fact]) => ownFacts.has(name) && (name === 'code' || !isOfOperator(JSON.stringify(fact))),
  );
  return {
    ...rest,
    ...(ofRun && { message: ofRun }),
    ...(own.length > 0 && { details: Object.fromEntries(own) }),
  };
}
