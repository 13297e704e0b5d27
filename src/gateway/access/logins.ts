import { randomBytes } from 'node:crypto';
import type { Detent } from '../../index.ts';
import { defaultTenant, scopes } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { hex, sha256 } from '../../text/ids.ts';

const codeMs = 5 * 60_000;
const tokenMs = 12 * 60 * 60_000;
const maxCodes = 100;

/**
 * Codes that a person who started the gateway can hand to a page, which exchanges one for a token: each works once, for
 * five minutes. They stand in the fragment of a link, which no server and no log sees. Those of `detent token login` are in the
 * database.
 */
export class Logins {
  readonly #detent: Detent;
  readonly #steady: () => number;
  readonly #codes = new Map<string, number>();

  /** @param steady milliseconds of a clock that never steps. Default: that of the process */
  constructor(detent: Detent, steady = () => performance.now()) {
    this.#detent = detent;
    this.#steady = steady;
  }

  newCode(): string {
    const code = randomBytes(32).toString('base64url');
    this.#forgetOld();
    this.#codes.set(hex(sha256(code)), this.#steady() + codeMs);
    const [oldest] = this.#codes.keys();
    if (this.#codes.size > maxCodes && oldest !== undefined) this.#codes.delete(oldest);
    return code;
  }

  /**
   * A token with all scopes for twelve hours.
   *
   * @throws DetentError `UNAUTHORIZED` for a code that is wrong, used or too old.
   */
  async exchange(code: string): Promise<{ token: string; expiresAt: number; scopes: readonly string[] }> {
    this.#forgetOld();
    const isGood = this.#codes.delete(hex(sha256(code))) || (await this.#detent.tokens.useLogin(code));
    if (!isGood)
      throw new DetentError(
        'UNAUTHORIZED',
        'this login link was already used, is older than five minutes, or is for another workspace: create a new one',
      );
    const expiresAt = this.#detent.tokens.now() + tokenMs;
    const request = { scopes: [...scopes], tenantId: defaultTenant, name: 'login link', expiresAt };
    const { token } = await this.#detent.tokens.create(request);
    return { token, expiresAt, scopes };
  }

  #forgetOld(): void {
    const now = this.#steady();
    for (const [digest, until] of this.#codes) if (until <= now) this.#codes.delete(digest);
  }
}
