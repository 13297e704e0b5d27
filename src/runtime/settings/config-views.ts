import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { MethodOutput } from '../../protocol/methods.ts';
import { configOf } from '../config/check-options.ts';
import type { Config, DetentOptions } from '../config/detent-options.ts';
import { at, type EffectiveValue, effectiveValues } from './effective.ts';
import { createHider, secretVariables, withoutSecrets } from './hide-secrets.ts';

/** The configuration of a Detent. */
export type ConfigView = MethodOutput<'config.get'>['config'];

/** Where the values of a {@link ConfigView} come from. */
export type ConfigOriginsView = MethodOutput<'config.origins'>['origins'];

/** Every field with its masked value and its source. */
async function configValues(options: DetentOptions): Promise<Record<string, EffectiveValue>> {
  const { env = process.env, origins } = options;
  const named = secretVariables(options);
  const made: Config = configOf(options);
  // Read again with placeholders, so that even a short secret stays hidden.
  const config = origins ? ((await origins.read(withoutSecrets(env, named))) as Config) : made;
  // A variable or a flag may belong to a run's request alone, as DETENT_MODEL does.
  const counts = ({ path, value }: { path: string; value: unknown }) =>
    isDeepStrictEqual(at(made, path.split('.')), value);
  const flags = Object.entries(origins?.flags ?? {}).filter(([path, { value }]) => counts({ path, value }));
  const values = effectiveValues({
    options,
    file: origins?.file ?? null,
    config,
    variables: (origins?.variables ?? []).filter(counts),
    request: {},
    flags: Object.fromEntries(flags),
    env,
  });
  const hide = createHider(env, named);
  return Object.fromEntries(
    Object.entries(values).map(([path, one]) => [path, { ...one, value: hide(path, one.value) }]),
  );
}

export async function configView(options: DetentOptions): Promise<ConfigView> {
  const values = Object.entries(await configValues(options)).map(([path, { value }]) => [path, value]);
  return { workspace: resolve(options.workspace ?? '.'), values: Object.fromEntries(values) };
}

export async function originsView(options: DetentOptions): Promise<ConfigOriginsView> {
  const values = Object.entries(await configValues(options)).map(([path, { source, from }]) => [
    path,
    { source, from },
  ]);
  return { file: options.origins?.file ?? null, values: Object.fromEntries(values) };
}
