import { DetentError } from '../protocol/error.ts';
import type { RunRow } from '../store/rows.ts';
import type { Clock } from './clock.ts';
import type { Delivery, Receipt } from './commit.ts';
import { type ChildEnd, isOpen, parentOf } from './links.ts';
import type { MachineHosts } from './machine-hosts.ts';
import { persist } from './persist.ts';
import type { Store } from './statements.ts';

interface ChildEndsOptions {
  store: Store;
  hosts: MachineHosts;
  clock: Clock;
  isStopped(): boolean;
  whyRefused(row: RunRow): Error | null;
  /** Migrates a run to the newest version of its machine, in its turn. */
  migrate(row: RunRow): Promise<unknown>;
  send(tenant: number, runId: string, delivery: Omit<Delivery, 'at'>): Promise<Receipt>;
}

/** Tells runs of the ends of the runs that they wait for. */
export class ChildEnds {
  readonly #options: ChildEndsOptions;

  constructor(options: ChildEndsOptions) {
    this.#options = options;
  }

  /**
   * Delivers the fact of an effect whose run has ended. Nothing is left to tell if it resolves with another kind than `moved`:
   * the run has ended, has left the effect, or has the fact already.
   *
   * @param settles the row of the letter, which is settled in the commit of the fact
   * @throws why this program cannot move the run, and the store's errors: another look, or another process, must try again
   */
  async deliver(
    tenant: number,
    runId: string,
    end: ChildEnd,
    settles: Pick<Delivery, 'settles'>,
  ): Promise<Receipt['kind']> {
    const { clock, hosts, whyRefused, isStopped, send } = this.#options;
    const found = await this.#load(tenant, runId);
    if (!found || found.ended) return 'ended';
    const refused = whyRefused(found);
    if (refused) throw refused;
    const { host, steps } = hosts.migrationPathOf(found);
    if (steps.length > 0) await this.#options.migrate(found);
    const parent = steps.length > 0 ? await this.#load(tenant, runId) : found;
    const effect =
      parent && (await this.#options.store.query('findEffect', { run: parent.pk, n: end.effectId }));
    if (!effect || !isOpen(effect)) return 'duplicate';
    const child = await this.#load(tenant, end.runId);
    const link = child && parentOf(child);
    // A run that another one was begun in the place of, or that a copy of the database knows differently.
    if (child && (!child.ended || link?.runId !== runId || link.effectId !== end.effectId)) return 'ignored';
    if (!host.childEnded) throw unknownHere(parent);
    const fact = child
      ? await host.childEnded(parent, effect, child)
      : host.effects[effect.name]?.failed(effect.n, gone(end));
    if (!fact) throw unknownHere(parent);
    let receipt: Receipt | null = null;
    const deliver = async () => {
      receipt = await send(tenant, runId, { ...fact, ...settles });
    };
    await persist(clock, deliver, isStopped);
    if (!receipt) throw new DetentError('CLOSED', 'this Detent was closed; create a new one');
    return (receipt as Receipt).kind;
  }

  #load(tenant: number, id: string): Promise<RunRow | undefined> {
    return this.#options.store.query('loadRun', { tenant, id });
  }
}

function unknownHere({ id, machine }: RunRow): DetentError {
  return new DetentError(
    'UNKNOWN_COMMAND',
    `a run that ${id} began has ended, and this program cannot tell it that: its machine "${machine}" begins no runs here; use the program that made the run`,
    { details: { runId: id } },
  );
}

function gone({ runId }: ChildEnd): DetentError {
  return new DetentError('NOT_FOUND', `run ${runId} was deleted before its result was read`, {
    details: { runId },
  });
}
