import type { RunEvent } from '#src/client/index.ts';
import type { QuestionKind } from '#src/protocol/enums.ts';
import type { Draft } from './draft.ts';
import { type CallStatus, type Entry, isSettled, type ToolCall } from './entries.ts';

/** What the fold must know besides the events. */
export interface FoldOptions {
  /** Whether a tool only reads: such calls of one answer run side by side, all others alone. */
  isReadonly?(tool: string): boolean;
}

/** An event of this name. */
export type Of<Name extends RunEvent['event']> = Extract<RunEvent, { event: Name }>;

/** Calls of one answer that only read and run at the same time. */
const maxParallel = 4;

export function called(draft: Draft, { at, payload }: Of<'tool.call'>, options: FoldOptions): void {
  const { callId, name, arguments: raw, decision, why = null } = payload;
  const { story } = draft;
  const stay = draft.stay;
  const isAtWork = stay && ['tooling', 'awaitingConfirm', 'reconciling'].includes(stay.stay);
  const place: Entry | undefined = isAtWork ? stay : draft.stayIn('thinking');
  if (!place) return;
  const call: ToolCall = {
    runId: story.runId,
    callId,
    name,
    arguments: raw,
    status: 'queued',
    decision,
    why,
    asked: null,
    verdict: null,
    startedAt: null,
    endedAt: null,
    result: null,
    artifact: null,
    subRun: null,
    skill: null,
    todo: null,
  };
  draft.change(place).content.push({ type: 'call', call });
  story.calls = [...story.calls, callId];
  if (stay?.stay === 'tooling') start(draft, at, options);
}

export function asked(
  draft: Draft,
  event: Of<'tool.confirm_request' | 'tool.client_request' | 'question.asked'>,
): void {
  const { payload, at } = event;
  const kind: QuestionKind =
    event.event === 'question.asked'
      ? 'question'
      : event.event === 'tool.client_request'
        ? 'client'
        : event.payload.kind;
  const { callId, why, preview } = payload;
  const question = event.event === 'question.asked' ? { question: event.payload.question } : {};
  const shown = preview === undefined ? {} : { preview };
  draft.changeCall(callId, {
    status: kind === 'reconcile' ? 'uncertain' : 'asked',
    why,
    asked: { kind, at, ...question, ...shown },
  });
}

export function decided(
  draft: Draft,
  event: Of<'tool.confirm_resolved' | 'tool.client_resolved' | 'question.answered'>,
  options: FoldOptions,
): void {
  const { at, payload } = event;
  const { callId, verdict } = payload;
  const call = draft.call(callId);
  if (!call?.asked) return;
  const { kind, question } = call.asked;
  const said = {
    ...('reason' in payload && payload.reason !== undefined && { reason: payload.reason }),
    ...(payload.by !== undefined && { by: payload.by }),
  };
  const given = 'answer' in payload && payload.answer !== undefined ? { answer: payload.answer } : {};
  const place = draft.stayIn('awaitingConfirm', 'reconciling');
  if (place)
    draft.change(place).content.push({
      type: 'decided',
      callId,
      name: call.name,
      kind,
      verdict,
      at,
      ...said,
      ...given,
      ...(question && { question }),
    });
  draft.changeCall(callId, { status: 'queued', verdict: { verdict, at, ...said } });
  if (draft.stay?.stay === 'tooling') start(draft, at, options);
}

const statusOfResult: Readonly<Record<string, CallStatus>> = {
  done: 'done',
  failed: 'failed',
  rejected: 'rejected',
  skipped: 'withdrawn',
  cancelled: 'cancelled',
  uncertain: 'uncertain',
};

export function settled(draft: Draft, { at, payload }: Of<'tool.result'>, options: FoldOptions): void {
  const { callId, status, content, isError, code, attachments = [], changed } = payload;
  draft.changeCall(callId, {
    status: statusOfResult[status] ?? 'failed',
    endedAt: at,
    result: { content, isError, code, attachments, ...(changed && { changed }) },
  });
  if (draft.stay?.stay === 'tooling') start(draft, at, options);
}

/** Marks the calls that run now: of the open ones in their order the first, or the first ones that only read. */
export function start(draft: Draft, at: number, { isReadonly }: FoldOptions): void {
  const stay = draft.stay;
  const open = draft.story.calls
    .flatMap((callId) => draft.call(callId) ?? [])
    .filter((call) => !isSettled(call));
  let running = 0;
  for (const { callId, name, status, startedAt, decision } of open) {
    // What a person was asked about goes on where it runs.
    if (stay && status === 'queued' && startedAt === null) draft.moveCall(callId, stay);
    if (decision === 'refuse' || status === 'asked') continue;
    const reads = isReadonly?.(name) ?? false;
    if (running > 0 && (!reads || running >= maxParallel)) continue;
    running = reads ? running + 1 : maxParallel;
    draft.changeCall(callId, { status: 'running', startedAt: startedAt ?? at });
  }
}
