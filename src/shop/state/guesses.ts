import { deny } from '../rules/denied.ts';
import type { ShopCall } from '../shop-api.ts';
import { inOneCommit, type ShopFile } from './shop-file.ts';

/** Wrong tries in a conversation, and those of a user or a phone within a day, over all its conversations. */
const maxOfSession = 5;
const maxOfGuest = 10;
const dayMs = 86_400_000;

/** How often a guest has named somebody whom the shop does not know. */
export class Guesses {
  readonly #db: ShopFile;
  readonly #now: () => number;

  constructor(db: ShopFile, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /**
   * Counts a try before it is made, so that many at once are no more than one after another.
   *
   * @throws ShopDenied `TOO_MANY_TRIES`.
   */
  begin(call: ShopCall): void {
    const { tenantId, userId } = call.principal;
    const now = this.#now();
    inOneCommit(this.#db, () => {
      for (const [who, max] of guessers(call)) {
        const row = this.#db
          .prepare<[number, string], { wrong: number; at: number }>(
            'select wrong, at from guesses where tenant = ? and who = ?',
          )
          .get(tenantId, who);
        const isOver = row !== undefined && max === maxOfGuest && now - row.at > dayMs;
        const wrong = row === undefined || isOver ? 0 : row.wrong;
        if (wrong >= max) deny('TOO_MANY_TRIES', tooMany);
        this.#db
          .prepare('insert or replace into guesses values (?, ?, ?, ?, ?)')
          .run(tenantId, who, userId, wrong + 1, now);
      }
    });
  }

  /** The try was right, or came to nothing: it does not count. */
  giveBack(call: ShopCall): void {
    const update = this.#db.prepare(
      'update guesses set wrong = max(0, wrong - 1) where tenant = ? and who = ?',
    );
    inOneCommit(this.#db, () => {
      for (const [who] of guessers(call)) update.run(call.principal.tenantId, who);
    });
  }
}

const tooMany =
  'nobody can be identified here any more after so many wrong tries: say so, and offer a login or a person of the shop';

function guessers({ principal: { userId, claims }, sessionId }: ShopCall): (readonly [string, number])[] {
  const { installation } = claims;
  return [
    [`session ${sessionId}`, maxOfSession],
    ...(userId === null ? [] : [[`user ${userId}`, maxOfGuest] as const]),
    ...(typeof installation === 'string' ? [[`installation ${installation}`, maxOfGuest] as const] : []),
  ];
}
