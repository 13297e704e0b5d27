// Runs before every npm script, on whatever Node the machine has: plain JavaScript, no dependency.
// Installs what package-lock.json names when it differs from what was installed last.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.detent-lock`;
const wanted = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .digest('hex');
const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';

if (installed !== wanted) {
  console.error(`detent: installing dependencies${installed === '' ? '' : ' (package-lock.json changed)'}`);
  // --ignore-scripts: better-sqlite3 ships its binaries and must not be compiled; only `node` needs its install step.
  npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error');
  npm('rebuild', 'node', '--loglevel=error');
  writeFileSync(stamp, wanted);
}

/** @param {...string} args */
function npm(...args) {
  // stdin is ignored: the script that follows reads it (`echo hello | npm start`).
  const run = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (run.status !== 0) {
    console.error(`detent: "npm ${args.join(' ')}" failed; run it by hand to see why`);
    process.exit(run.status ?? 1);
  }
}
