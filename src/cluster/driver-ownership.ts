import type { DriverSigns, Ownership } from '../engine/ownership.ts';
import type { DriverRow } from '../store/rows.ts';

/** How a driver shows others that it lives, and how it sees that of them. */
export interface Signs {
  /** Shows from now on that a driver of this name lives. Resolves with where others reach it. */
  show(name: string): Promise<Pick<DriverSigns, 'address' | 'token'>>;
  /** Shows it no longer. */
  withdraw(): Promise<void>;
  /** Whether another driver shows nothing any more. */
  areGone(driver: DriverRow): Promise<boolean>;
  /** See {@link Ownership.seemsAlive}. */
  seemAlive(epoch: number): boolean;
  /** See {@link Ownership.clear}. */
  clear(driver: DriverRow): void;
}

interface DriverOwnershipOptions {
  signs: Signs;
  /** A name that no driver had before. */
  newName(): string;
  /** Registers a driver in the database; resolves with its epoch. */
  register(signs: DriverSigns): Promise<number>;
}

/** This process among the drivers of a database that several share. */
export class DriverOwnership implements Ownership {
  readonly #options: DriverOwnershipOptions;
  #joining: Promise<number> | null = null;
  #me: number | null = null;
  #leaving: Promise<void> = Promise.resolve();

  constructor(options: DriverOwnershipOptions) {
    this.#options = options;
  }

  get me(): number | null {
    return this.#me;
  }

  /** @throws DetentError as the store does; `DATABASE_UNUSABLE` when it cannot show that it lives. */
  join(): Promise<number> {
    // Signs that are still being taken back must not take the new ones along.
    this.#joining ??= Promise.allSettled([this.#leaving])
      .then(() => this.#join())
      .catch(async (error) => {
        await this.leave();
        throw error;
      });
    return this.#joining;
  }

  async #join(): Promise<number> {
    const { newName, signs, register } = this.#options;
    const name = newName();
    // Others may look for its signs as soon as its row is there.
    this.#me = await register({ name, ...(await signs.show(name)) });
    return this.#me;
  }

  async renew(was: number): Promise<number> {
    // Of several that ask at once one joins anew, and all others get its epoch.
    if (this.#me === was) await this.leave();
    else await this.#leaving;
    return this.join();
  }

  async isDead(driver: DriverRow): Promise<boolean> {
    return driver.epoch !== this.#me && (await this.#options.signs.areGone(driver));
  }

  clear(driver: DriverRow): void {
    this.#options.signs.clear(driver);
  }

  seemsAlive(epoch: number): boolean {
    return epoch === this.#me || this.#options.signs.seemAlive(epoch);
  }

  /** Takes the signs back. Call it when the database says that this driver ended. */
  leave(): Promise<void> {
    this.#me = null;
    this.#leaving = this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    this.#joining = null;
    await this.#options.signs.withdraw();
  }
}
