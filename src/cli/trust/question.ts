import { unhidden } from '../../text/wording.ts';
import { unifiedDiff } from '../../tools/files.ts';
import { changesOf } from './changes.ts';
import type { TrustedFolder } from './records.ts';
import type { Survey } from './survey.ts';

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
 */
export async function describeFolder(survey: Survey, before: TrustedFolder | null): Promise<string> {
  const lines = [
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

/** The same in a few words, for a message: `code, MCP programs, a database`. */
export function summary({ wants, places }: Pick<Survey, 'wants' | 'places'>): string {
  const kinds = new Set(wants.map(([kind]) => (kind.startsWith('MCP') ? 'MCP servers' : kind)));
  for (const { what } of places) kinds.add(`${what} that this Detent did not make`);
  return [...kinds].join(', ') || 'files that Detent would use';
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
