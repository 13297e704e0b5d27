/**
 * Sees to it that the tests of the shell have the sandbox that they need: installs Debian's bubblewrap where it is missing
 * and this is root. Where it cannot, it says so and leaves the rest to the tests, which say that they were not run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const places = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'];
const has = () => places.some((place) => existsSync(place));

export default function installSandbox() {
  if (has() || process.platform !== 'linux') return;
  const why = tryToInstall();
  if (!has()) console.error(`bubblewrap is missing and was not installed: ${why}`);
}

function tryToInstall() {
  if (process.getuid() !== 0) return 'only root can; apt-get install bubblewrap';
  if (!existsSync('/usr/bin/apt-get')) return 'there is no apt-get here';
  const install = () => apt('install', '--yes', '--no-install-recommends', 'bubblewrap');
  const first = install();
  if (first.status === 0) return '';
  apt('update');
  const second = install();
  return second.error?.message ?? second.stderr.trim().split('\n').at(-1);
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('/usr/bin/apt-get', ['--quiet', ...args], { env, encoding: 'utf8', timeout: 120_000 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installSandbox();
