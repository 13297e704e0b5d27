import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm run models:renew [-- VERSION]` writes the table of prices and windows anew, from the catalogue that
 * `@earendil-works/pi-ai` carries. The only part of Detent that needs the network for it; look at the difference before you commit it.
 */

const npmPackage = '@earendil-works/pi-ai';
const table = fileURLToPath(new URL('../src/models/catalogue/table.json', import.meta.url));

/** Their file of each preset that has one price for everyone, in US dollars. */
const files: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  deepseek: 'deepseek',
  'moonshot-intl': 'moonshotai',
  zai: 'zai',
  groq: 'groq',
  mistral: 'mistral',
  xai: 'xai',
};

interface Cost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  tiers?: Array<{ inputTokensAbove: number; input: number; output: number }>;
}

interface Entry {
  id: string;
  type: string;
  cost: Cost;
  contextWindow: number;
  maxTokens: number;
}

const folder = mkdtempSync(join(tmpdir(), 'detent-models-'));
try {
  const wanted = `${npmPackage}@${process.argv[2] ?? 'latest'}`;
  execFileSync('npm', ['pack', wanted, '--pack-destination', folder, '--silent'], { stdio: 'pipe' });
  execFileSync('sh', ['-c', 'tar xzf *.tgz'], { cwd: folder });
  const read = (path: string) => JSON.parse(readFileSync(join(folder, 'package', path), 'utf8'));
  const { version, license, author } = read('package.json');
  const { generatedAt } = read('dist/providers/data/.manifest.json');
  const providers = Object.entries(files).map(([preset, file]) => {
    const byWire: Record<string, Record<string, Entry>> = read(`dist/providers/data/${file}.json`);
    const entries = Object.values(byWire).flatMap((models) => Object.values(models));
    const chats = entries.filter(({ type }) => type === 'chat').sort((a, b) => a.id.localeCompare(b.id));
    return [preset, chats] as const;
  });
  const source = { package: npmPackage, version, license, author, generatedAt: generatedAt.slice(0, 10) };
  writeFileSync(table, text(source, providers));
  console.log(`wrote ${table} from ${npmPackage} ${version}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** JSON with a model a line, so that a difference can be read. */
function text(source: object, providers: ReadonlyArray<readonly [string, Entry[]]>): string {
  const listed = providers.map(([preset, chats]) => {
    const models = chats.map((entry) => `      ${JSON.stringify(entry.id)}: ${JSON.stringify(rowOf(entry))}`);
    return `    ${JSON.stringify(preset)}: {\n${models.join(',\n')}\n    }`;
  });
  return `{\n  "source": ${JSON.stringify(source)},\n  "providers": {\n${listed.join(',\n')}\n  }\n}\n`;
}

/** Dollars for a million tokens; a price of nothing is one that they do not know. */
function rowOf({ cost, contextWindow, maxTokens }: Entry): Record<string, unknown> {
  const [tier] = cost.tiers ?? [];
  const factor = (of: number, above: number) => Math.round((above / of) * 1_000) / 1_000;
  const price = {
    inputUsd: cost.input,
    ...(cost.cacheRead > 0 && { cachedInputUsd: cost.cacheRead }),
    ...(cost.cacheWrite > 0 && { cacheWriteInputUsd: cost.cacheWrite }),
    outputUsd: cost.output,
    ...(tier && {
      long: {
        fromTokens: tier.inputTokensAbove + 1,
        inputFactor: factor(cost.input, tier.input),
        outputFactor: factor(cost.output, tier.output),
      },
    }),
  };
  const hasPrice = cost.input > 0 || cost.output > 0;
  return { ...(hasPrice && { price }), contextWindow, maxOutputTokens: maxTokens };
}
