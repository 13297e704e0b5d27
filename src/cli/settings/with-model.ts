import type { ConfigOrigins } from '../../runtime/config.ts';
import type { Io } from '../terminal/io.ts';
import { type Flags, text, usage } from './flags.ts';
import type { CliOptions } from './load-options.ts';
import { addressOf } from './run-options.ts';

/** The options with the model that the command line, or DETENT_MODEL, names for runs that name none. */
export function withModel(options: CliOptions, flags: Flags, io: Io): CliOptions {
  const address = addressOf(flags);
  const model = text(flags, 'model') ?? (io.env.DETENT_MODEL || undefined);
  if (model === undefined && Object.keys(address).length === 0) return options;
  const named: ConfigOrigins['flags'] =
    text(flags, 'model') === undefined ? {} : { model: { flag: 'model', value: model } };
  if (Object.keys(address).length === 0 && model !== undefined)
    return { ...options, model, ...setByFlags(options, named) };
  if (model === undefined || !model.includes('/'))
    throw usage(
      'an address (--base-url, --api-key-env, --api) needs the name of a model there: --model any/NAME',
    );
  const [provider = ''] = model.split('/', 1);
  const known = options.models?.[provider] ?? {};
  const models = { ...options.models, [provider]: { ...known, ...address } };
  const addressed = Object.entries(address).map(([field, value]) => [
    `models.${provider}.${field}`,
    { flag: field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value },
  ]);
  return {
    ...options,
    model,
    models,
    ...setByFlags(options, { ...named, ...Object.fromEntries(addressed) }),
  };
}

function setByFlags({ origins }: CliOptions, flags: ConfigOrigins['flags']): Pick<CliOptions, 'origins'> {
  return origins ? { origins: { ...origins, flags: { ...origins.flags, ...flags } } } : {};
}
