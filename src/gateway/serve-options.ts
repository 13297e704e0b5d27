import type { OwnToken } from './access/gate.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { TrustSource } from './methods/method.ts';

/** Options that `detent serve` has besides those of programs. */
export interface ServeOptions extends GatewayOptions {
  /** Tokens that are not in the database. */
  own?: readonly OwnToken[];
  /** What the person who runs it trusts on this machine. */
  trust?: TrustSource;
  /** Serves no clients: answers only whether it is alive and ready. */
  isHealthAlone?: boolean;
  /** The key for codes of login links, which other commands of the same person on this machine show. */
  loginKey?: string;
}
