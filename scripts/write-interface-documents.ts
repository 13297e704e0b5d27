/**
 * Writes the descriptions of the gateway's interface: `docs/openapi.json`, `docs/asyncapi.json`, and the table of the methods that
 * take a key in `docs/gateway.md`.
 *
 *     node scripts/write-interface-documents.ts           # brings them up to date
 *     node scripts/write-interface-documents.ts --check   # exit code 1 when one is out of date
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { asyncApi } from '../src/gateway/documents/async-api.ts';
import { openApi } from '../src/gateway/http/open-api.ts';
import { describedMethods } from '../src/gateway/http/routes.ts';
import { methods } from '../src/gateway/methods/methods.ts';
import type { Keyed } from '../src/protocol/methods/method.ts';

const afterDeath: Readonly<Record<Keyed, string>> = {
  run: 'gets the run, if there is one, else makes it',
  noted: 'gets the answer if it was done, else it is performed',
  repeated: 'is performed; what was done is not done twice',
};

const documents: Readonly<Record<string, (before: string) => string>> = {
  'docs/openapi.json': () => `${JSON.stringify(openApi(describedMethods), null, 2)}\n`,
  'docs/asyncapi.json': () => `${JSON.stringify(asyncApi(methods), null, 2)}\n`,
  'docs/gateway.md': withKeyedMethods,
};

if (import.meta.main) {
  const isCheck = process.argv.includes('--check');
  for (const [document, describe] of Object.entries(documents)) {
    const file = new URL(`../${document}`, import.meta.url);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const after = describe(before);
    if (after === before) continue;
    if (!isCheck) writeFileSync(file, after);
    console.error(
      isCheck
        ? `${document} is out of date; run: node scripts/write-interface-documents.ts`
        : `wrote ${document}`,
    );
    if (isCheck) process.exitCode = 1;
  }
}

/** The page with the table of the methods that take a key. */
export function withKeyedMethods(page: string): string {
  const rows = methods.flatMap(({ name, http, keyed }) => {
    if (keyed === undefined) return [];
    const place = http ? `\`${http.verb.toUpperCase()} /api/v1${http.path}\`` : '';
    return [`| \`${name}\` | ${place} | ${afterDeath[keyed]} |`];
  });
  const head =
    '| method | over HTTP | a repetition, when the gateway died within the first |\n| --- | --- | --- |';
  return page.replace(
    /(<!-- keyed methods -->\n)[\s\S]*?(<!-- \/keyed methods -->)/,
    (_, begin, end) => `${begin}${head}\n${rows.join('\n')}\n${end}`,
  );
}
