/** The check of a configuration, and settings as people see them, without their secrets. */
export { validateConfig } from './config/validate-config.ts';
export type { ConfigOriginsView, ConfigView } from './settings/config-views.ts';
export { type EffectiveValue, effectiveValues } from './settings/effective.ts';
export { createHider, secretVariables, withoutKeys, withoutSecrets } from './settings/hide-secrets.ts';
