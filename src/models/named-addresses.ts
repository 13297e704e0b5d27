import type { Endpoint } from '../protocol/ports.ts';
import { shellWord } from '../text/wording.ts';
import { parseModelName } from './catalogue/model-name.ts';
import { addressOf } from './find-model.ts';
import { addressFlags, addressNotNamed, type Providers } from './provider-config.ts';

/**
 * The addresses that requests and flags of this process have named. A run's row says which address it was created with, but
 * a row decides nothing: that address counts only while this process, or the configuration, names it too.
 */
export class NamedAddresses {
  readonly #providers: Providers;
  readonly #env: Readonly<Record<string, string | undefined>>;
  /** By provider and stored address: what to use for it. */
  readonly #named = new Map<string, Endpoint>();

  constructor(providers: Providers, env: Readonly<Record<string, string | undefined>>) {
    this.#providers = providers;
    this.#env = env;
  }

  /** Lets the runs of this provider whose rows say `stored` use the address `now`. */
  name(model: string, stored: Endpoint | null, now: Endpoint): void {
    this.#named.set(addressKey(model, stored), now);
  }

  /** The address to use for a run whose row says `stored`; null for that of the configuration, undefined for none. */
  find(model: string, stored: Endpoint | null): Endpoint | null | undefined {
    const named = this.#named.get(addressKey(model, stored));
    if (named) return named;
    return stored === null || this.#isConfigured(model, stored) ? null : undefined;
  }

  /** As `find`. @throws DetentError `ADDRESS_NOT_NAMED`. */
  require(model: string, stored: Endpoint | null): Endpoint | null {
    const found = this.find(model, stored);
    if (found === undefined)
      throw addressNotNamed(model, stored, `--model ${shellWord(model)}${addressFlags(stored)}`);
    return found;
  }

  /** Whether the configuration gives the provider the same address, key and protocol. */
  #isConfigured(model: string, stored: Endpoint): boolean {
    const own = addressOf(parseModelName(model).provider, null, this.#providers, this.#env);
    const { baseUrl, apiKeyEnv, api } = stored;
    return (
      own !== null &&
      (baseUrl === undefined || withoutSlash(baseUrl) === withoutSlash(own.baseUrl)) &&
      (apiKeyEnv === undefined || apiKeyEnv === own.apiKeyEnv) &&
      (api === undefined || api === own.api)
    );
  }
}

function addressKey(model: string, stored: Endpoint | null): string {
  const { baseUrl, apiKeyEnv, api } = stored ?? {};
  return JSON.stringify([parseModelName(model).provider, baseUrl, apiKeyEnv, api]);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
