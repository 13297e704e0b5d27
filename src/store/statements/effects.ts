import type { EffectRow, EffectStatus, Scoped } from '../rows.ts';

/** The effects that a run asked for. */
export interface EffectStatements {
  insertEffect: { in: EffectRow & Scoped & { at: number }; out: number };
  /**
   * Starts an effect that is held, pending, uncertain, or was started under an older fence. `attempts` is added to its
   * count: 1 for a driver that performs it now, 0 if it is left `pending` for a driver.
   */
  startEffect: {
    in: Pick<EffectRow, 'run' | 'n' | 'driver' | 'fence'> & {
      status: 'started' | 'pending';
      attempts: 0 | 1;
      at: number;
    };
    out: number;
  };
  /**
   * Settles an effect that is started or linked; one that is linked already is not linked again. Clears the bytes to
   * execute, unless the status is `uncertain`, because a person may have it executed again, or `linked`, because a fork
   * performs it again.
   */
  settleEffect: { in: { run: number; n: number; status: EffectStatus; at: number }; out: number };
  /** An orderly stop gives its attempt back: only attempts that end in a crash count. */
  uncountAttempt: { in: { run: number; n: number; fence: number }; out: number };
  /** Cancels an open effect, and clears its bytes to execute. */
  closeEffect: { in: { run: number; n: number; at: number }; out: number };
  changeEffectInput: { in: { run: number; n: number; input: string }; out: number };
  changeEffect: { in: { run: number; n: number; name: string; params: string }; out: number };
  findEffect: { in: { run: number; n: number }; out: EffectRow | undefined };
  /** Effects that are neither done nor cancelled. */
  listOpenEffects: { in: { run: number }; out: EffectRow[] };
  listEffects: { in: { run: number }; out: EffectRow[] };
}
