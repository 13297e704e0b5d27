/**
 * Writes the descriptions of the gateway's interface: `docs/openapi.json` and `docs/asyncapi.json`.
 *
 *     node scripts/write-interface-documents.ts           # brings them up to date
 *     node scripts/write-interface-documents.ts --check   # exit code 1 when one is out of date
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { asyncApi } from '../src/gateway/async-api.ts';
import { openApi } from '../src/gateway/http/open-api.ts';
import { httpMethods } from '../src/gateway/http/routes.ts';
import { methods } from '../src/gateway/methods/methods.ts';

const documents: Readonly<Record<string, () => object>> = {
  'docs/openapi.json': () => openApi(httpMethods),
  'docs/asyncapi.json': () => asyncApi(methods),
};

const isCheck = process.argv.includes('--check');
for (const [document, describe] of Object.entries(documents)) {
  const file = new URL(`../${document}`, import.meta.url);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const after = `${JSON.stringify(describe(), null, 2)}\n`;
  if (after === before) continue;
  if (!isCheck) writeFileSync(file, after);
  console.error(
    isCheck
      ? `${document} is out of date; run: node scripts/write-interface-documents.ts`
      : `wrote ${document}`,
  );
  if (isCheck) process.exitCode = 1;
}
