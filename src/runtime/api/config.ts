import type { DetentOptions } from '../config/detent-options.ts';
import type { ConfigOriginsView, ConfigView } from '../settings/config-views.ts';

/** The configuration that this Detent was made with. */
export interface DetentConfig {
  /**
   * Every field with its value, defaults included; of records (providers, agents, servers) their entries. Secrets are
   * masked: values of secret variables, all headers, the variables of servers, keys in addresses, and values whose name
   * says that they are secret.
   */
  get(): Promise<ConfigView>;
  /**
   * The source of each of these values: `file`, `variable` or `flag` if the program that made this Detent said so
   * (`origins`), else `program` or `default`.
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
