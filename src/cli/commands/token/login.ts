import { isoTime } from '../../../text/iso-time.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, usage } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { recordedUrl } from '../serve/gateway-record.ts';

/** `detent token login`: the link alone on stdout, for `open $(…)`. */
export async function loginLink(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const given = text(flags, 'url');
  const named = given === undefined ? null : checkedUrl(given);
  const options = await loadOptions(flags, io);
  const url = named ?? recordedUrl(options) ?? 'http://127.0.0.1:7420';
  const { code, expiresAt } = await withDetent(options, (detent) => detent.tokens.createLogin());
  const loginUrl = `${url}/#login=${code}`;
  if (flags.json) {
    io.json({ loginUrl, expiresAt });
    return exit.ok;
  }
  io.out(`${loginUrl}\n`);
  io.say(
    `it logs a browser in at the gateway of ${options.workspace}: once, and before ${isoTime(expiresAt)}`,
  );
  return exit.ok;
}

/** The address that the code is put behind: what follows the path would take the code in. */
export function checkedUrl(given: string): string {
  const url = URL.parse(given);
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (isPlain && /^https?:$/.test(url.protocol) && !/[?#]/.test(given)) return url.href.replace(/\/+$/, '');
  throw usage(`--url is the address of a gateway, such as https://agent.example, not "${given}"`);
}
