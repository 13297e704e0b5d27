import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Life } from './obey.ts';
import type { LifeOrder } from './order.ts';

export interface SharedOrder extends LifeOrder {
  /** Several processes have the same order: only the first at its boundary dies. */
  isShared: boolean;
}

export const killedFile = 'killed';

/** Dies once, whichever of the processes with its order is the first. */
export class SharedLife<Order extends SharedOrder> extends Life<Order> {
  protected override mayHalt(): boolean {
    if (!this.order.isShared) return true;
    try {
      closeSync(openSync(join(this.order.workspace, killedFile), 'wx'));
      return true;
    } catch {
      return false;
    }
  }
}
