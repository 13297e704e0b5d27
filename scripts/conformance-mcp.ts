import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs the client scenarios of the official conformance suite of the Model Context Protocol against Detent's client, and
 * prints the score. Ends with 1 when a scenario fails that is not known to fail.
 */
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'));
const program = join(suite, '../dist/index.js');
const client = fileURLToPath(new URL('./conformance-mcp-client.ts', import.meta.url));

/** What Detent does not do, and says so in docs/mcp.md. */
const notSupported: Readonly<Record<string, string>> = {
  'auth/2025-03-26-oauth-metadata-backcompat':
    'its metadata names another issuer than the one that was asked, which is refused (RFC 8414, section 3.3)',
  'auth/client-credentials-jwt': 'logins by a key pair (an extension)',
  'auth/cross-app-access-complete-flow': 'logins by an identity provider (an extension)',
};

interface Scenario {
  name: string;
  passed: boolean;
  checks: number;
  problems: string[];
}

async function perform(name: string): Promise<Scenario> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-conformance-'));
  try {
    const command = `${process.execPath} ${client}`;
    const child = spawn(
      process.execPath,
      [program, 'client', '--command', command, '--scenario', name, '--output-dir', folder],
      { stdio: 'ignore' },
    );
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const checks = await checksIn(folder);
    const counted = checks.filter(({ status }) => status !== 'INFO');
    const problems = checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description}`);
    return { name, passed: code === 0, checks: counted.length, problems };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Check {
  id: string;
  status: string;
  description: string;
  errorMessage?: string;
}

async function checksIn(folder: string): Promise<Check[]> {
  const files = await readdir(folder, { recursive: true });
  const file = files.find((name) => name.endsWith('checks.json'));
  return file ? JSON.parse(await readFile(join(folder, file), 'utf8')) : [];
}

function names(): Promise<string[]> {
  const child = spawn(process.execPath, [program, 'list', '--client'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes;
  });
  return new Promise((resolve) =>
    child.once('close', () => resolve([...text.matchAll(/^ {2}- (\S+)/gm)].map((match) => match[1] ?? ''))),
  );
}

const wanted = process.argv.slice(2);
const results: Scenario[] = [];
for (const name of wanted.length > 0 ? wanted : await names()) {
  const result = await perform(name);
  results.push(result);
  const why = result.passed
    ? ''
    : `  ${notSupported[name] ?? (result.problems.join('; ') || 'the client failed')}`;
  console.log(`${result.passed ? 'ok  ' : 'FAIL'}  ${name}${why}`);
}
const passed = results.filter((result) => result.passed);
const unexpected = results.filter(({ name, passed }) => !passed && !(name in notSupported));
console.log(
  `${passed.length} of ${results.length} scenarios pass; ${results.length - passed.length - unexpected.length} fail for what Detent does not do, ${unexpected.length} for something else`,
);
process.exitCode = unexpected.length > 0 || results.length === 0 ? 1 : 0;
