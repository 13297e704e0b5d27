import { reasonTemplates, type Sentence } from '../../protocol/views.ts';

/**
 * Codes whose messages are about the client's own request. Their messages reach every client, if they name nothing of the host. A
 * code belongs here only if no text of a provider, a driver, a tool or the system is ever part of its message.
 */
export const ownWords: ReadonlySet<string> = new Set([
  ...['INVALID_ARGUMENTS', 'INVALID_FRAME', 'INVALID_INPUT', 'INVALID_EVENT'],
  ...['INVALID_ANSWER', 'INVALID_VERDICT', 'INVALID_PATTERN', 'INVALID_CALL_ID', 'INVALID_SESSION'],
  ...['INVALID_CLIENT_TOOL', 'INVALID_JOB', 'INVALID_SCHEDULE', 'INVALID_CRON', 'UNKNOWN_TIME_ZONE'],
  ...['NOT_FOUND', 'NO_JOB', 'NO_SLOT', 'NO_MESSAGE', 'UNKNOWN_METHOD', 'UNKNOWN_AGENT', 'UNKNOWN_WORKFLOW'],
  ...['UNKNOWN_SKILL', 'UNKNOWN_TOOL', 'UNKNOWN_BUDGET', 'UNKNOWN_COMMAND', 'METHOD_NOT_ALLOWED'],
  ...['UNAUTHORIZED', 'SESSION_OF_ANOTHER_USER', 'PROTOCOL_VERSION'],
  ...[
    'CALL_CLAIMED',
    'WRONG_VERDICT',
    'WRONG_TOOL',
    'NOT_WAITING',
    'NOT_A_WORKFLOW',
    'RESERVED_EVENT',
    'HASH_MISMATCH',
  ],
  ...['IDEMPOTENCY_CONFLICT', 'REQUEST_UNDER_WAY', 'OUTCOME_UNKNOWN', 'SESSION_BUSY', 'SESSION_EXISTS'],
  ...['JOB_EXISTS', 'RUN_ENDED', 'RUN_WAITS', 'TAKES_NO_MESSAGES', 'RESULT_NOT_TAKEN', 'AMBIGUOUS_RUN'],
  ...['SEQ_OUT_OF_RANGE', 'EMPTY_PROMPT', 'PROMPT_TOO_LARGE', 'RESULT_TOO_LARGE', 'BODY_TOO_LARGE'],
  ...['BODY_STALLED', 'UNSUPPORTED_MEDIA_TYPE', 'ATTACHMENT_TOO_LARGE', 'ATTACHMENT_NOT_FOUND'],
  ...['ATTACHMENT_UNSUPPORTED', 'TOO_MANY_REQUESTS', 'TOO_MANY_RUNS', 'TOO_MANY_JOBS', 'TOO_MANY_BYTES'],
  ...['TOO_MANY_CONNECTIONS', 'TOO_MANY_SUBSCRIPTIONS', 'QUEUE_FULL', 'GATEWAY_FULL', 'DRAINING'],
  ...['AUTHENTICATION_FAILED', 'NOBODY_TO_ASK', 'TAKEN_OVER', 'NOT_TAKEN_OVER', 'OWN_SESSION'],
  ...['WORKFLOW_AT_WORK', 'NOT_A_CONVERSATION', 'NOT_THE_USER'],
]);

const misconfigured = 'the agent is not set up correctly';
const notSaved = 'the data cannot be read or written at the moment; try again later';

/** Which sentence a client reads of a failed model call: in English below, and by its code for other languages. */
const ofModels: Readonly<Record<string, string>> = {
  MODEL_AUTH: 'client_model_unavailable',
  MODEL_PERMISSION: 'client_model_unavailable',
  MODEL_NOT_FOUND: 'client_model_unavailable',
  MODEL_BAD_REQUEST: 'client_model_refused',
  MODEL_CONTEXT_OVERFLOW: 'client_model_overflow',
  MODEL_RATE_LIMIT: 'client_model_rate_limit',
  MODEL_OVERLOADED: 'client_model_overloaded',
  MODEL_SERVER: 'client_model_failed',
  MODEL_TIMEOUT: 'client_model_slow',
  MODEL_NETWORK: 'client_model_unreachable',
  MODEL_MALFORMED: 'client_model_unreadable',
  MODEL_ABORTED: 'model_run_ended',
  MODEL_CIRCUIT_OPEN: 'client_model_circuit',
  ALL_MODELS_FAILED: 'client_no_model',
};

/** The sentence of an error for a client, by its code for other languages; null where there is none. */
export function sentenceForClients(code: string): Sentence | null {
  const sentence = Object.hasOwn(ofModels, code) ? ofModels[code] : undefined;
  return sentence === undefined ? null : { code: sentence, params: {} };
}

/** What other codes say to a client, and those above whose message names something of the host. */
export const sentences: Readonly<Record<string, string>> = {
  // How a run ended.
  ...Object.fromEntries(
    Object.entries(ofModels).map(([code, sentence]) => [code, reasonTemplates[sentence] ?? '']),
  ),
  CONTEXT_OVERFLOW: 'the conversation is too long for the model',
  MISSING_KEY: misconfigured,
  UNKNOWN_MODEL: misconfigured,
  AMBIGUOUS_MODEL: misconfigured,
  ADDRESS_NOT_NAMED: misconfigured,
  INVALID_BASE_URL: misconfigured,
  INVALID_PROVIDER: misconfigured,
  INVALID_PROXY: misconfigured,
  INVALID_HEADER: misconfigured,
  INVALID_CONFIG: misconfigured,
  INVALID_TOOL: misconfigured,
  PRICE_MISSING: misconfigured,
  MAX_STEPS: 'the run reached its limit of steps',
  BUDGET_EXHAUSTED: 'the run reached its limit of tokens or money',
  DEADLINE: 'the run reached its limit of time',
  QUEUE_EXPIRED: 'the run waited too long for its turn',
  EXPIRED: 'nobody decided in time',
  CANCELLED: 'the run was cancelled',
  REFUSED: 'the model refused to answer',
  CONTENT_FILTERED: 'a filter for content stopped the answer',
  TRUNCATED: 'the answer was cut off',
  INVALID_OUTPUT: 'the answer does not have the form that was asked for',
  BLOCKED_BY_POLICY: 'the run needs something that is not allowed',
  HOOK_VETO: 'the run needs something that is not allowed',
  SAME_CALL_FAILED: 'the same call failed again and again',
  CONSECUTIVE_ERRORS: 'too many calls failed in a row',
  POISONED: 'the run was given up after several crashes',
  FLUSH_FAILED: 'saving the memory before the summary failed',
  SUMMARY_REJECTED: 'the summary of the conversation was not good enough',
  // How a request was refused.
  INVALID_REQUEST: 'the request is not valid',
  INVALID_ARGUMENTS: 'the request is not valid',
  INVALID_CLIENT_TOOL: 'a tool of the client is not valid',
  INVALID_OUTPUT_SCHEMA: 'the output schema cannot be used',
  NOT_FOUND: 'nothing with this name exists',
  NO_JOB: 'there is no such job',
  UNKNOWN_AGENT: 'there is no such agent',
  UNKNOWN_WORKFLOW: 'there is no such workflow',
  UNKNOWN_BUDGET: 'there is no such budget',
  UNAUTHORIZED: 'a valid token is needed',
  FORBIDDEN: 'this account may not do this',
  NOT_THE_DECIDER: 'someone else must decide on this',
  OTHER_DECIDER: 'with this change it is for someone else to decide: reject it, and say why',
  TAKEN_OVER: 'a person has taken over this conversation',
  OWN_REQUEST: 'the same person asked for this; someone else must approve it',
  INVALID_CALLER: 'this account cannot be used here; ask the person who runs this service',
  USER_CLAIMED: 'this guest has logged in, and continues as the user',
  USER_FORGOTTEN: 'the data of this user is being deleted',
  UNKNOWN_TENANT: 'the token names a tenant that does not exist',
  HOST_NOT_ALLOWED: 'the gateway does not answer under this name',
  ORIGIN_NOT_ALLOWED: 'pages of this origin may not use the gateway',
  WRONG_VERDICT: 'the question needs another kind of decision',
  NOT_WAITING: 'the run does not wait for this decision',
  HASH_MISMATCH: 'the call has changed since you saw it',
  RUN_FAILED: 'the run failed',
  RUN_ENDED: 'the run has ended',
  RUN_WAITS: 'the run waits for a person, for its client or for another run, and then continues',
  RESULT_NOT_TAKEN: 'the result of the call was not accepted',
  CANNOT_DRIVE: 'the run cannot continue here',
  OTHER_WORKSPACE: 'the run cannot continue here',
  CHART_CHANGED: 'the run cannot continue here',
  MIGRATION_NEEDED: 'the run cannot continue here',
  MIGRATION_FAILED: 'the run cannot continue here',
  DATABASE_MOVED: 'the run cannot continue here',
  FENCED: 'another process has taken the run over; try again',
  DECLARED_JOB: 'only the host can change this job',
  ATTACHMENT_NOT_FOUND: 'there is no such attachment',
  ATTACHMENT_UNSUPPORTED: 'the model does not accept this attachment',
  ATTACHMENT_TOO_LARGE: 'the attachment is too large',
  UNSUPPORTED_MEDIA_TYPE: 'the body has the wrong type',
  DATABASE_BUSY: notSaved,
  DATABASE_FULL: notSaved,
  DATABASE_IO: notSaved,
  INTERNAL: 'the gateway failed',
};
