import { type Grant, type GrantPattern, matchesGrant, readPattern } from '../ports/grant-pattern.ts';
import type { Toolbox } from '../ports/toolbox.ts';
import { DetentError } from '../protocol/error.ts';
import type { MethodOutput } from '../protocol/methods/methods.ts';
import { callName, noCall } from '../records/call-id.ts';
import type { CallInput } from '../records/call-input.ts';
import type { Program } from '../store/program.ts';
import type { GrantRow, RunRow } from '../store/rows.ts';
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
      `the pattern does not mean call ${callName(call)} itself: it must name each field of its arguments; {"any":true} lets one be anything`,
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
