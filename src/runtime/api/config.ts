import type { DetentOptions } from '../config/detent-options.ts';
import type { ConfigOriginsView, ConfigView } from '../settings/config-views.ts';

/** The configuration that this Detent was made with. */
export interface DetentConfig {
  /**
   * Every field with its value, defaults included; of records (providers, agents, servers) their entries. Secrets are masked:
   * values of secret variables, all headers, the variables of servers, keys in addresses, and what a name calls a secret.
   */
  get(): Promise<ConfigView>;
  /**
   * Where each of these values comes from: `file`, `variable` or `flag`, as the program says that made this Detent
   * (`origins`); else `program`; or `default`.
   */
  origins(): Promise<ConfigOriginsView>;
}

/** @internal */
export function configApi(options: DetentOptions): DetentConfig {
  const views = () => import('../settings/config-views.ts');
  return {
    get: async () => (await views()).configView(options),
    origins: async () => (await views()).originsView(options),
  };
}
