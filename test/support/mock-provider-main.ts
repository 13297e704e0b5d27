import { readFileSync } from 'node:fs';
import { type MockScript, startMockProvider } from './mock-provider.ts';

/**
 * The mock provider as a process of its own: `node test/support/mock-provider-main.ts script.json [port]` prints its
 * base URL and answers until it is killed.
 */
const [file, port] = process.argv.slice(2);
if (file === undefined) throw new Error('name the file that holds the script');
const { baseUrl } = await startMockProvider(
  JSON.parse(readFileSync(file, 'utf8')) as MockScript,
  port === undefined ? 0 : Number(port),
);
console.log(baseUrl);
