import type { Program } from '../../store/program.ts';
import type { EffectRow, RunRow } from '../../store/rows.ts';
import { isOpenEffect } from '../../store/stored-call.ts';
import { ask } from './statements.ts';

/** The driver to notify of a command: the one that has the run, or that had it last before the run came to rest. */
export type Addressee = Pick<RunRow, 'driver' | 'lastDriver'>;

/** The kind of the letter that tells a run of the end of a run that it waits for. */
export const childEnded = 'childEnded';

/** The content of that letter: the effect that waits, and the run that has ended. */
export interface ChildEnd {
  effectId: number;
  runId: string;
}

/** The part of a run's options that names the run waiting for its end. */
export interface LinkOptions {
  linked?: boolean;
  parentRunId?: string;
  parentCall?: string;
}

/** The run and the effect that wait for the end of a run, by its options; null for a run of its own. */
export function parentOf({ options }: Pick<RunRow, 'options'>): { runId: string; effectId: number } | null {
  // Parsing is skipped for the many runs without a parent: their options are long.
  return options.includes('"linked":true') ? parentIn(JSON.parse(options) as LinkOptions) : null;
}

function parentIn({ linked, parentRunId, parentCall }: LinkOptions): ReturnType<typeof parentOf> {
  if (linked !== true || typeof parentRunId !== 'string') return null;
  const [, n] = /^c(\d+)$/.exec(String(parentCall)) ?? [];
  return n === undefined ? null : { runId: parentRunId, effectId: Number(n) };
}

/** Thrown in the commit that would make a linked run: the run that wants it has ended, or has left the effect. */
export class ParentLeft extends Error {}

/**
 * Checks, in the commit that makes a run, that its parent still wants it: a parent that leaves the effect later finds the
 * run and cancels it.
 *
 * @throws ParentLeft
 */
export function* refuseWithoutParent(tenant: number, options: LinkOptions): Program<void> {
  const link = parentIn(options);
  if (!link) return;
  const waiting = yield* waitingFor(tenant, link);
  if (waiting?.effect.status !== 'started')
    throw new ParentLeft(`run ${link.runId} no longer performs its effect ${link.effectId}`);
}

/** The run that waits for the end of this one, and the letter that reports this end; null when no run waits. */
export function* letterOf(
  row: Pick<RunRow, 'tenant' | 'id' | 'options'>,
): Program<{ to: RunRow; body: ChildEnd } | null> {
  const link = parentOf(row);
  const waiting = link && (yield* waitingFor(row.tenant, link));
  return waiting ? { to: waiting.parent, body: { effectId: waiting.effect.n, runId: row.id } } : null;
}

function* waitingFor(
  tenant: number,
  { runId, effectId }: { runId: string; effectId: number },
): Program<{ parent: RunRow; effect: EffectRow } | null> {
  const parent = yield* ask('loadRun', { tenant, id: runId });
  if (!parent || parent.ended) return null;
  const effect = yield* ask('findEffect', { run: parent.pk, n: effectId });
  return effect && isOpenEffect(effect) ? { parent, effect } : null;
}
