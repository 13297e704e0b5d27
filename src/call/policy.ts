import { readMessages } from '../engine/log.ts';
import { DetentError } from '../protocol/error.ts';
import type { MethodOutput } from '../protocol/methods.ts';
import { type Grant, type GrantPattern, matchesGrant, readPattern, type Toolbox } from '../protocol/ports.ts';
import type { Principal } from '../protocol/tool.ts';
import type { TaintView } from '../protocol/views.ts';
import type { Program } from '../store/program.ts';
import type { GrantRow, RunRow } from '../store/rows.ts';
import type { RunOptions } from '../store/run-options.ts';
import { type CallInput, callName, noCall, questionOf } from '../store/stored-call.ts';
import {
  parseMessage,
  type StoredCall,
  type StoredMessage,
  type StoredTaint,
  type SummaryBody,
  taintOfAnswer,
  taintOfWords,
  unknownSource,
} from '../store/stored-message.ts';
import { optionsOf } from '../store/stored-run.ts';
import { ask, type Store } from './statements.ts';

/** "Allow for this session", as part of the approval of a call. */
export interface GrantRequest {
  /** If given, must be the tool of the call. */
  tool?: string;
  /** A pattern of arguments, as an object or JSON text. Default: the tool's `grantBy` fields, else the same arguments. */
  pattern?: unknown;
}

/** A grant as people see it. */
export type GrantView = MethodOutput<'grant.list'>['grants'][number];

/** The active grants of a session. */
export async function grantsOf(store: Store<'listGrants'>, session: number): Promise<Grant[]> {
  return (await store.query('listGrants', { session })).map(({ n, tool, pattern }) => ({
    n,
    tool,
    pattern: JSON.parse(pattern) as GrantPattern,
  }));
}

export function grantView({ n, tool, pattern, by, at, runId, call }: GrantRow): GrantView {
  return { n, tool, pattern: JSON.parse(pattern) as GrantPattern, by, at, runId, callId: callName(call) };
}

/**
 * The grant that goes with the approval of a call. Null when the call was settled already; the commit of the decision
 * reports that.
 *
 * @throws DetentError `INVALID_PATTERN` when the pattern does not match the approved call; `WRONG_TOOL`.
 */
export async function grantFor(
  { store, toolbox }: { store: Store<'findEffect'>; toolbox: Toolbox },
  row: RunRow,
  call: number,
  { tool, pattern }: GrantRequest,
): Promise<Pick<Grant, 'tool' | 'pattern'> | null> {
  const effect = await store.query('findEffect', { run: row.pk, n: call });
  if (!effect) throw noCall(row.id, call);
  if (effect.input === null) return null;
  const { name, arguments: raw } = JSON.parse(effect.input) as CallInput;
  if (tool !== undefined && tool !== name)
    throw new DetentError('WRONG_TOOL', `call ${callName(call)} is of tool "${name}", not "${tool}"`, {
      details: { callId: callName(call), tool: name },
    });
  const read = pattern === undefined ? toolbox.grantPattern(name, raw) : readPattern(pattern);
  if (!matchesGrant(read, raw))
    throw new DetentError(
      'INVALID_PATTERN',
      `the pattern does not match call ${callName(call)} itself: it must name each field of its arguments; {"any":true} matches any value`,
      { details: { callId: callName(call), pattern: read } },
    );
  return { tool: name, pattern: read };
}

/**
 * Writes a grant in the commit of its decision, and returns its number. The pattern is redacted, so a pattern with a known
 * secret no longer matches any call.
 */
export function* writeGrant(
  row: RunRow,
  call: number,
  { tool, pattern }: Pick<Grant, 'tool' | 'pattern'>,
  said: { by: string | undefined; at: number; redact(text: string): string },
): Program<number> {
  const { n } = yield* ask('insertGrant', {
    session: row.session,
    tenant: row.tenant,
    tool,
    pattern: said.redact(JSON.stringify(pattern)),
    by: said.by ?? null,
    runId: row.id,
    call,
    at: said.at,
  });
  return n;
}

/** What a run does with calls that need a person. */
type Approval = Pick<RunOptions, 'approve' | 'approveGiven'>;

/**
 * The current approval of a run: see {@link endApproval}. Read it after the messages that a decision depends on.
 *
 * @param options those that the run had when its driver took it
 */
export async function approvalNow(
  store: Store<'loadRun'>,
  { tenant, id }: Pick<RunRow, 'tenant' | 'id'>,
  { approve, approveGiven }: Approval,
): Promise<Approval> {
  if (!approveGiven) return { approve };
  const row = await store.query('loadRun', { tenant, id });
  const now: Approval = row ? optionsOf(row) : { approve: 'ask' };
  return { approve: now.approve, ...(now.approveGiven && { approveGiven: true }) };
}

/**
 * Whom a run acts for now: its session may have gone over to another user since a driver took it.
 *
 * @param principal whom it acted for then
 */
export async function principalNow(
  store: Store<'findSession' | 'loadRun'>,
  { tenant, id, sessionKey: key, user: before }: Pick<RunRow, 'tenant' | 'id' | 'sessionKey' | 'user'>,
  principal: Principal,
): Promise<Principal> {
  // A session of no user goes over to none.
  if (before === null) return principal;
  const user = (await store.query('findSession', { tenant, key }))?.user ?? null;
  if (user === null || user === principal.userId) return principal;
  const row = await store.query('loadRun', { tenant, id });
  return row ? optionsOf(row).principal : principal;
}

/**
 * Withdraws the approval that a run's request gave, in the commit of a message by someone who may not approve. The runs
 * above it lose theirs, too, because their models read the results of that message.
 */
export function* endApproval({ tenant, id }: Pick<RunRow, 'tenant' | 'id'>): Program<void> {
  for (let next: string | undefined = id; next !== undefined; ) {
    const row: RunRow | undefined = yield* ask('loadRun', { tenant, id: next });
    if (!row) return;
    const { approveGiven, ...options } = optionsOf(row);
    if (approveGiven)
      yield* ask('changeRunOptions', {
        pk: row.pk,
        options: JSON.stringify({ ...options, approve: 'ask' } satisfies RunOptions),
      });
    next = options.parentRunId;
  }
}

/** Whether a person decided on a call, or a step, of a fork in the fork itself. */
export async function isDecidedInFork(
  store: Store<'findConfirmation'>,
  run: Pick<RunRow, 'pk'>,
  call: number,
): Promise<boolean> {
  const asked = await store.query('findConfirmation', { run: run.pk, call });
  const decision = asked && questionOf(asked).decision;
  return decision != null && decision.copied === undefined;
}

/** The parts of a conversation that the taint check reads. */
export interface TaintedConversation {
  /** All messages of the prompt, in order, without summaries. */
  messages: readonly StoredMessage[];
  /** The summary of the earlier messages; null when there were none, or the session was cleared. */
  summary: Pick<SummaryBody, 'text' | 'tainted'> | null;
}

/**
 * The sources of untrusted text in a conversation: the first untrusted result of each tool, computed each time, and what is
 * stored with its messages: where a prompt came from, and what the prompt of an answer had, because the result itself may
 * be deleted or in another conversation. A summary without sources (an older or imported one) counts as tainted.
 *
 * @param inherited what the run was started with.
 */
export function taintOf(
  { messages, summary }: TaintedConversation,
  toolbox: Pick<Toolbox, 'isUntrusted'>,
  inherited: readonly StoredTaint[] = [],
): StoredTaint[] {
  const found = new Map<string, StoredTaint>();
  const add = (source: StoredTaint) => void (found.has(source.tool) || found.set(source.tool, source));
  for (const source of [...inherited, ...summarised(summary)]) add(source);
  // Calls by the run and their id: a call and its result belong to one run.
  let calls = new Map<number, StoredCall>();
  let of: number | undefined;
  for (const { role, run, at, body } of messages) {
    if (run !== of) calls = new Map();
    of = run;
    if (role === 'user') for (const source of taintOfWords(body)) add(source);
    if (role === 'assistant') {
      for (const source of taintOfAnswer(body)) add(source);
      for (const call of body.toolCalls) calls.set(call.callId, call);
    }
    if (role !== 'tool' || !hasSpoken(body)) continue;
    const call = calls.get(body.callId);
    const tool = call?.name ?? 'a tool';
    if (!found.has(tool) && (!call || body.untrusted || toolbox.isUntrusted(call.name, call.arguments)))
      add({ tool, run, call: body.callId, at });
  }
  return [...found.values()];
}

function summarised(summary: TaintedConversation['summary']): readonly StoredTaint[] {
  if (!summary || summary.text === '') return [];
  return summary.tainted ?? [unknownSource('an earlier summary')];
}

/** The results of rejected, skipped and never started calls are Detent's own text. */
function hasSpoken({ status, code }: { status: string; code: string | null }): boolean {
  return (status === 'done' || status === 'failed') && code !== 'UNKNOWN_TOOL';
}

/** The sources of untrusted text in the prompt of the answer that asked for a call; the call's sub-run inherits them. */
export async function taintAtCall(
  store: Store<'pageMessagesOfRun'>,
  run: RunRow,
  call: number,
): Promise<StoredTaint[]> {
  for await (const row of readMessages(store, run)) {
    const { role, body } = parseMessage(row);
    if (role === 'assistant' && body.toolCalls.some(({ callId }) => callId === call))
      return body.tainted ?? [];
  }
  return [];
}

export function taintView(sources: readonly StoredTaint[], run: number): TaintView[] {
  return sources.map((source) => ({
    tool: source.tool,
    call: source.call === 0 ? null : callName(source.call),
    at: source.at,
    ...(source.run !== run && { earlier: true as const }),
  }));
}
