import { existsSync } from 'node:fs';

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * The Chromium that tests drive: `DETENT_CHROMIUM`, or the one that npm brings (for Linux on x64), or one of this machine; null if
 * there is none.
 */
export async function chromiumPath(): Promise<string | null> {
  if (process.env.DETENT_CHROMIUM) return process.env.DETENT_CHROMIUM;
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { default: chromium } = await import('@sparticuz/chromium');
    return chromium.executablePath();
  }
  return installed.find((path) => existsSync(path)) ?? null;
}
