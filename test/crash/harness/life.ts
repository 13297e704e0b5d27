import { appendFileSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Detent } from '../../../src/index.ts';
import { processesAt } from '../../support/processes.ts';
import type { LifeEntry } from '../ledger.ts';

/** Where a process works, and where it ends. */
export interface LifeOrder {
  workspace: string;
  /** The boundary at which the process kills or stops itself; -1 for none. */
  haltAt: number;
  /** SIGSTOP: whoever ordered it has the process continue. */
  halt: 'SIGKILL' | 'SIGSTOP';
  /** Each row that a transaction has read, and may have locked, is a boundary, too. */
  isFine?: boolean;
  /** The address of the PostgreSQL database that has the runs; without one, a file of the workspace has them. */
  url?: string;
  /** Several processes have the same order: only the first at its boundary dies. */
  isShared: boolean;
}

/** An order that kills nothing. */
export const unharmed = { haltAt: -1, halt: 'SIGKILL', isShared: false } as const;

export const killedFile = 'killed';

/**
 * One life of a crash scenario: a process that counts the boundaries that it passes, and halts at one of them. Every commit and
 * every effect has boundaries; counting them first and then dying at each in turn leaves none out.
 */
export class Life<Order extends LifeOrder = LifeOrder> {
  readonly order: Order;
  readonly passed: string[] = [];
  /** Errors that reached no caller. */
  readonly errors: unknown[] = [];

  constructor(order: Order) {
    this.order = order;
  }

  /** Does the work of a life and ends its driver in an orderly way, with `lives.jsonl` told first. @returns what it passed */
  async lead(detent: Detent, work: () => Promise<void>): Promise<string[]> {
    try {
      await work();
    } finally {
      await this.end(detent);
    }
    if (this.errors.length > 0) throw new AggregateError(this.errors, this.errors.map(String).join('; '));
    return this.passed;
  }

  async end(detent: Detent): Promise<void> {
    this.live('close');
    await detent.close();
  }

  readonly onError = (error: unknown, runId: string): void => {
    console.error(`reported ${runId}`, error);
    this.errors.push(error);
  };

  boundary(name: string): void {
    const { haltAt, halt } = this.order;
    const isHere = this.passed.length === haltAt;
    this.passed.push(name);
    if (!isHere || !this.#mayHalt()) return;
    if (halt === 'SIGKILL') this.#die();
    this.live('stop', { name });
    process.kill(process.pid, 'SIGSTOP');
  }

  /** Of several processes that have the same boundary to die at, the first one does. */
  #mayHalt(): boolean {
    if (!this.order.isShared) return true;
    try {
      closeSync(openSync(join(this.order.workspace, killedFile), 'wx'));
      return true;
    } catch {
      return false;
    }
  }

  #die(): never {
    const others = processesAt(this.order.workspace).filter((pid) => pid !== String(process.pid));
    this.record('deaths.jsonl', { processes: others.length });
    this.live('death');
    // Nothing of this process runs after its own SIGKILL.
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  }

  /** Notes what becomes of this process, and which effects it performs. */
  live(what: LifeEntry['what'], about: Pick<LifeEntry, 'run' | 'effect' | 'name'> = {}): void {
    this.record('lives.jsonl', { pid: process.pid, at: Date.now(), what, ...about } satisfies LifeEntry);
  }

  /** What happened in the world: appended at once, so that it survives the process. */
  record(file: string, entry: object): void {
    appendFileSync(join(this.order.workspace, file), `${JSON.stringify(entry)}\n`);
  }
}
