import { isObject } from '#src/protocol/json.ts';

/** The models that the configuration names and those that were used before; `usual` is that of runs which name none. */
export function knownModels(
  config: unknown,
  used: unknown,
): { usual: string | null; models: readonly string[] } {
  const shown = isObject(config) && isObject(config.config) ? config.config : {};
  const values = isObject(shown.values) ? shown.values : {};
  const usual = typeof values.model === 'string' ? values.model : null;
  const named = Object.entries(values).flatMap(([path, value]) => {
    if (path === 'fallbacks' && Array.isArray(value)) return value;
    if (path === 'agents' && isObject(value))
      return Object.values(value).map((agent) => (isObject(agent) ? agent.model : null));
    return /^agents\..+\.model$/.test(path) ? [value] : [];
  });
  const groups = isObject(used) && Array.isArray(used.groups) ? used.groups : [];
  const before = groups.map((group) => (isObject(group) ? group.key : null));
  const models = [...named, ...before].filter(
    (one): one is string => typeof one === 'string' && one.includes('/') && one !== usual,
  );
  return { usual, models: [...new Set(models)].sort() };
}
