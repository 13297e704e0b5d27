import { DetentError } from '../../protocol/error.ts';
import { own } from '../../text/wording.ts';
import type { Io } from '../terminal/io.ts';
import { type Flags, text, usage } from './flags.ts';

/** The gateway that a command speaks to instead of opening a database. */
export interface ServerPlace {
  /** Without a slash at its end. */
  url: string;
  token: string;
  /** What a person types behind a command for the same gateway. */
  flags: string;
}

const usualVariable = 'DETENT_TOKEN';
/** They name a database or a folder, and the gateway has its own. */
const localFlags = ['db', 'workspace', 'trust', 'here'] as const;
/** Where models are is never taken from a client. */
const addressFlags = ['base-url', 'api-key-env', 'api'] as const;

/**
 * The gateway of `--server`; null without that flag.
 *
 * @throws DetentError `USAGE`; `UNAUTHORIZED` when the variable has no token.
 */
export function serverOf(flags: Flags, io: Pick<Io, 'env'>): ServerPlace | null {
  const given = text(flags, 'server');
  const named = text(flags, 'token-env');
  if (given === undefined) {
    if (named !== undefined) throw usage('--token-env goes with --server');
    return null;
  }
  for (const flag of ['tenant', 'user'])
    if (flags[flag] !== undefined)
      throw usage(`the token names the tenant and the user: --server and --${flag} exclude each other`);
  for (const flag of [...localFlags, ...addressFlags])
    if (flags[flag] !== undefined) throw usage(`--server and --${flag} exclude each other`);
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw usage('--server is the address of a gateway, such as http://127.0.0.1:7420');
  if (url.username !== '' || url.password !== '')
    throw usage('--server takes no password: the token is read from the variable of --token-env');
  const variable = named ?? usualVariable;
  // It may be a token: it must not be shown.
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable))
    throw usage('--token-env takes the name of a variable that holds the token');
  const token = own(io.env, variable);
  if (!token)
    throw new DetentError(
      'UNAUTHORIZED',
      `the variable ${variable} has no token for ${url.origin}: make one there with "detent token create --scope read,write,approve", and set the variable`,
    );
  const place = given.replace(/\/+$/, '');
  return {
    url: place,
    token,
    flags: `--server ${place}${named === undefined ? '' : ` --token-env ${named}`}`,
  };
}
