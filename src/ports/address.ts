import { DetentError } from '../protocol/error.ts';
import { shellWord } from '../text/shell-word.ts';
import type { Endpoint } from './chat-model.ts';

/** The flags of the command line that name an address: ` --base-url URL --api-key-env NAME`; empty for none. */
export function addressFlags(endpoint: Endpoint | null | undefined): string {
  const { baseUrl, apiKeyEnv, api } = endpoint ?? {};
  const given = [
    ['--base-url', baseUrl],
    ['--api-key-env', apiKeyEnv],
    ['--api', api],
  ].flatMap(([flag, value]) => (value === undefined ? [] : [` ${flag} ${shellWord(value)}`]));
  return given.join('');
}

/**
 * The error for an address that only a row of the database names. A database may come from anywhere, and a key must not go
 * where it says.
 *
 * @param command names the address again
 */
export function addressNotNamed(model: string, stored: Endpoint | null, command: string): DetentError {
  const what = stored?.baseUrl ?? stored?.apiKeyEnv ?? stored?.api;
  return new DetentError(
    'ADDRESS_NOT_NAMED',
    `${model} was used with ${what}, which only the database names now: set models.${providerOf(model)} in the configuration, or name it again with: ${command}`,
    { details: { model, endpoint: stored, command } },
  );
}

function providerOf(model: string): string {
  return model.split('/', 1)[0] ?? '';
}
