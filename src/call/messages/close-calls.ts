import type { CloseCode, QuestionCloseCode } from '../../../machines/run.types.ts';
import type { CommitScope, EngineEvent } from '../../engine/machine.ts';
import type { QuestionKind } from '../../protocol/enums.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { reasonText } from '../../protocol/views.ts';
import type { Program } from '../../store/program.ts';
import type { ConfirmationRow, ConfirmationStatus } from '../../store/rows.ts';
import type { AskedBody, CallInput } from '../../store/stored-call.ts';
import type { CallStatus } from '../../store/stored-message.ts';
import { ask } from '../statements.ts';
import { writeMessage } from './write-message.ts';

interface Closing {
  status: CallStatus;
  confirmation: ConfirmationStatus;
  isError: boolean;
  code: string | null;
  text(event: CommitScope['event']): string;
  /** Another text for a call that asks the user something. */
  toQuestion?(event: CommitScope['event']): string;
  /** Another text for a call that the caller of the run performs, who may have begun it. */
  toClient?(event: CommitScope['event']): string;
}

/** What the model reads of a call that nobody has said more of. */
export const outcomeUnknown =
  'The call was interrupted and its outcome is unknown: it may or may not have taken effect.';

const closings: Readonly<Record<CloseCode, Closing>> = {
  REJECTED_BY_USER: {
    status: 'rejected',
    confirmation: 'rejected',
    isError: true,
    code: 'REJECTED_BY_USER',
    text: ({ reason }) =>
      reason ? `The user rejected this call: ${String(reason)}` : 'The user rejected this call.',
    toClient: ({ reason }) =>
      reason
        ? `The call was closed without a result: ${String(reason)}`
        : 'The call was closed without a result.',
    toQuestion: ({ reason }) =>
      reason ? `The user chose not to answer: ${String(reason)}` : 'The user chose not to answer.',
  },
  EXPIRED: {
    status: 'rejected',
    confirmation: 'expired',
    isError: true,
    code: 'EXPIRED',
    text: () => 'Not run: nobody decided on this call in time, so it counts as rejected.',
    toQuestion: () => 'Nobody answered in time.',
    toClient: () => 'The client gave no result in time; the call may have taken effect.',
  },
  SKIPPED: {
    status: 'skipped',
    confirmation: 'withdrawn',
    isError: true,
    code: 'SKIPPED',
    text: ({ type, verdict }) => {
      if (type !== 'tool.reconcile') return 'Not run: the user sent a new message first.';
      const then =
        verdict === 'retry' ? 'sent a new message before it was repeated' : 'chose to continue without it';
      return `The call was interrupted and its outcome is unknown; the user ${then}.`;
    },
    toClient: () =>
      'The user sent a new message before a result of the client was taken; the call may have taken effect.',
  },
  CANCELLED: {
    status: 'cancelled',
    confirmation: 'withdrawn',
    isError: true,
    code: 'CANCELLED',
    text: () => 'Not run: the run ended first.',
    toClient: () => 'The run ended before a result of the client was taken; the call may have taken effect.',
  },
  ABORTED: {
    status: 'cancelled',
    confirmation: 'withdrawn',
    isError: true,
    code: 'CANCELLED',
    text: () => 'The run ended while this call was running; it may have taken effect.',
  },
  OUTCOME_UNKNOWN: {
    status: 'uncertain',
    confirmation: 'expired',
    isError: true,
    code: 'OUTCOME_UNKNOWN',
    text: () => outcomeUnknown,
  },
  RECONCILED: {
    status: 'done',
    confirmation: 'settled',
    isError: false,
    code: null,
    text: ({ result }) =>
      result === undefined
        ? 'The user confirms that the call took effect; its output is lost.'
        : String(result),
  },
};

/** The status of an undecided question when its call is closed with this code. */
export function confirmationAfter(code: CloseCode): ConfirmationStatus {
  return closings[code].confirmation;
}

/** Writes the result of calls that do not run, or whose outcome a person decided, and closes their rows. */
export function* closeCalls(params: JsonObject, scope: CommitScope): Program<void> {
  const { calls, code } = params as { calls: number[]; code: CloseCode };
  const closing = closings[code];
  const run = scope.row.pk;
  for (const callId of calls) {
    const asked =
      (closing.toQuestion || closing.toClient) && (yield* ask('findConfirmation', { run, call: callId }));
    const words = wordsTo(asked, closing);
    yield* writeMessage(scope, 'tool', {
      callId,
      text: words(scope.event),
      isError: closing.isError,
      code: closing.code,
      status: closing.status,
    });
    yield* ask('closeEffect', { run, n: callId, at: scope.at });
    const decision = JSON.stringify({ verdict: closing.confirmation, at: scope.at });
    yield* ask('decideConfirmation', { run, call: callId, status: closing.confirmation, decision });
  }
}

function wordsTo(
  asked: ConfirmationRow | undefined,
  { text, toQuestion, toClient }: Closing,
): Closing['text'] {
  if (asked?.kind === 'question') return toQuestion ?? text;
  return asked?.kind === 'client' ? (toClient ?? text) : text;
}

/** The body of `tool.asked`. */
type Asked = Required<Pick<CallInput, 'question'>> & { key: string };

/** The reason of a question that does not come from policy. */
export const whyAsked: Readonly<Record<string, string>> = {
  question: reasonText('asks_while_running'),
  reconcile: reasonText('died_while_running'),
};

const whyAgain = reasonText('made_in_original');

/** Closes the questions of running calls, which have no result yet. */
export function* closeQuestions(params: JsonObject, scope: CommitScope): Program<void> {
  const { calls, code } = params as { calls: number[]; code: QuestionCloseCode };
  const status = confirmationAfter(code);
  const decision = JSON.stringify({ verdict: status, at: scope.at });
  for (const call of calls) yield* ask('decideConfirmation', { run: scope.row.pk, call, status, decision });
}

/** Writes the question for a person: the tool, its redacted arguments, and the hash of the real ones. */
export function* requestConfirmations(params: JsonObject, scope: CommitScope): Program<void> {
  const { kind, calls } = params as { kind: QuestionKind; calls: number[] };
  const { row, at } = scope;
  for (const call of calls) {
    const raw = scope.inputs.get(call) ?? (yield* ask('findEffect', { run: row.pk, n: call }))?.input ?? '{}';
    const { hash, preview, client, ...shown } = JSON.parse(raw) as CallInput;
    const { question, key } =
      kind === 'question'
        ? (scope.event as EngineEvent & Asked)
        : { question: shown.question, key: undefined };
    const isQuestion = kind !== 'reconcile' && question !== undefined;
    yield* ask('insertConfirmation', {
      run: row.pk,
      tenant: row.tenant,
      call,
      kind: isQuestion ? 'question' : kind === 'confirm' && client ? 'client' : kind,
      hash,
      body: scope.redact(
        JSON.stringify({
          name: shown.name,
          arguments: shown.arguments,
          why: (kind === 'reconcile' && shown.again ? whyAgain : whyAsked[kind]) ?? shown.why,
          // No preview for a running call, which may already have done what the preview shows.
          ...(kind === 'confirm' && preview && { preview: preview.text, version: preview.version }),
          ...(kind === 'confirm' && shown.asIs && { asIs: true }),
          ...(!isQuestion && shown.decides && { decides: shown.decides }),
          ...(isQuestion && { question, key }),
        } satisfies AskedBody),
      ),
      askedAt: at,
    });
  }
}
