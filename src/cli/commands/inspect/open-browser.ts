import { spawn } from 'node:child_process';
import type { Flags } from '../../settings/flags.ts';
import type { Io } from '../../terminal/io.ts';

/** Programs that open an address in the browser of this person, by system; others have that of Linux. */
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address that was printed: when the flags say so, else for a person at a terminal with a screen. */
export function openForPerson(url: string, flags: Flags, io: Io): void {
  const isPerson = io.isAttended() && !flags.json && hasScreen(io);
  if (flags.open || (isPerson && !flags.print)) openBrowser(url, io);
}

/** Whether a browser has a screen to open on. Without one `xdg-open` may start a browser in the terminal. */
export function hasScreen({ env }: Pick<Io, 'env'>, platform: NodeJS.Platform = process.platform): boolean {
  return platform in openers || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Has a browser open an address. Where there is none, nothing happens: the address was printed. */
function openBrowser(url: string, { env }: Pick<Io, 'env'>): void {
  const [program = '', ...words] = openers[process.platform] ?? ['xdg-open'];
  const { DATABASE_URL: _, ...passed } = env;
  const child = spawn(program, [...words, url], { env: passed, stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
