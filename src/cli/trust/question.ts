import { unhidden } from '../../text/wording.ts';
import { unifiedDiff } from '../../tools/files.ts';
import { changesOf, type TrustedFolder } from '../../trust/agreements.ts';
import type { Survey, Verdict } from '../../trust/judge-folder.ts';

/** Enough of the difference to decide; the files have the rest. */
const maxDiffLines = 40;
/** A longer line is cut, and says how much is left out. */
const maxChars = 600;
const maxLines = 200;

/**
 * What a person is asked to agree to, one line for each thing; after a change also what differs from what the person
 * agreed to. All of it comes from the folder, so all of it is escaped.
 *
 * @param before what the person agreed to; null when there is nothing of the kind
 * @param why a folder of the person's own is asked about
 */
export async function describeFolder({
  survey,
  before,
  why,
}: Pick<Verdict, 'survey' | 'before' | 'why'>): Promise<string> {
  const lines = [
    ...why.map((reason) => `  It is yours, and is asked about: ${reason}`),
    ...(why.length > 0 ? [''] : []),
    ...(await describeChange(survey, before)),
    ...table([
      ...survey.wants,
      ...survey.places.map(
        ({ path, what, about }) =>
          ['database', `${path}: ${what} that this Detent did not make; ${about}`] as const,
      ),
    ]),
  ];
  const shown = lines.slice(0, maxLines);
  if (lines.length > maxLines) shown.push(`  … and ${lines.length - maxLines} more lines`);
  return shown.map(oneLine).join('\n');
}

/** What a folder may have several of. */
const counted = ['package', 'link', 'provider', 'job', 'variable'];
const inWords: Readonly<Record<string, string>> = {
  policy: 'policy rules',
  sandbox: 'a sandbox setting',
  network: 'network rules',
  tools: 'rules for tools',
  database: 'the path of a database',
  log: 'a log file',
};

/** The same in a few words, for a message: `code, 2 packages and MCP servers`. */
export function summary({ wants, places }: Pick<Survey, 'wants' | 'places'>): string {
  const kinds = new Map<string, number>();
  for (const [kind] of wants) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const words = [...kinds].map(([kind, times]) => {
    if (kind.startsWith('MCP')) return 'MCP servers';
    if (!counted.includes(kind)) return inWords[kind] ?? kind;
    return times === 1 ? `a ${kind}` : `${times} ${kind}s`;
  });
  const made = places.map(({ what }) => `${what} that this Detent did not make`);
  const all = [...new Set([...words, ...made])];
  const [last = 'files that Detent would use'] = all.splice(-1);
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`;
}

async function describeChange(survey: Survey, before: TrustedFolder | null): Promise<string[]> {
  if (before === null) return [];
  const { added, removed, changed } = changesOf(survey, before);
  const lines = table([
    ...added.map((name) => ['added', name] as const),
    ...removed.map((name) => ['removed', name] as const),
    ...changed.map((name) => ['changed', name] as const),
  ]);
  for (const name of changed) {
    const [old, now] = [before.texts[name], survey.texts[name]];
    const diff = old === undefined || now === undefined ? null : await unifiedDiff(name, old, now);
    if (diff === null) continue;
    const parts = diff.split('\n').slice(2);
    lines.push('', ...parts.slice(0, maxDiffLines).map((line) => `    ${line}`));
    if (parts.length > maxDiffLines) lines.push(`    … ${parts.length - maxDiffLines} more lines`);
  }
  return [...lines, ''];
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([kind]) => kind.length));
  return rows.map(([kind, what]) => `  ${kind.padEnd(width)}  ${what}`);
}

/** A name with a line break must not look like two lines of this question. */
function oneLine(text: string): string {
  const line = unhidden(text.replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
  return line.length > maxChars
    ? `${line.slice(0, maxChars)}… (${line.length - maxChars} more characters)`
    : line;
}
