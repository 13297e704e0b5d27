import type { PendingView } from '../../index.ts';
import { unhidden } from '../../text/wording.ts';
import { styled, type Text } from '../terminal/styled.ts';

/** How much of a call is shown before a person asks for all of it. */
const maxLines = 40;
const longestLine = 400;

export interface ShownCall {
  text: Text;
  /** Whether something was left out. */
  isCut: boolean;
}

/**
 * A call that waits for a decision, as text for a terminal: its arguments, or the change that it would make to a file.
 * Control characters and invisible ones are escaped.
 */
export function showCall({ name, arguments: given, why, preview }: PendingView, isWhole = false): ShownCall {
  const { title, lines: plain } = titleAndLines(name, given);
  const seen = preview === undefined ? plain : previewLines(preview);
  // The person must be able to see everything: the preview, and the arguments that it was made from.
  const lines = isWhole && preview !== undefined ? [...seen, '', ...plain] : seen;
  const shown = isWhole ? lines : lines.slice(0, maxLines).map(shortened);
  const left = lines.length - shown.length;
  const isCut =
    left > 0 ||
    shown.some((line, i) => line !== lines[i]) ||
    (!isWhole && preview !== undefined && /^\[… \d+ more lines/m.test(preview));
  return {
    text: [
      [styled('bold', unhidden(title)), ' ', styled('dim', `(${unhidden(why)})`)],
      ...shown.map((line) => ['\n  ', painted(line)]),
      ...(left > 0 ? [styled('dim', `\n  … ${left} more lines`)] : []),
    ],
    isCut,
  };
}

function titleAndLines(name: string, given: unknown): { title: string; lines: string[] } {
  return describeChange(name, given) ?? { title: name, lines: pretty(given).split('\n') };
}

/** Null for a call with any argument that this does not know: the caller then shows all arguments as JSON. */
function describeChange(name: string, given: unknown): { title: string; lines: string[] } | null {
  if (name === 'write_file' && hasOnly(given, { path: 'string', content: 'string' })) {
    const { path, content } = given as { path: string; content: string };
    const bytes = new TextEncoder().encode(content).length;
    return {
      title: `write_file ${path}: the whole file, ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`,
      lines: diffLines('+', content.replace(/\n$/, '')),
    };
  }
  const edit = { path: 'string', old_text: 'string', new_text: 'string', replace_all: 'boolean?' } as const;
  if (name === 'edit_file' && hasOnly(given, edit)) {
    const { path, old_text, new_text, replace_all } = given as Record<string, string>;
    return {
      title: `edit_file ${path}: ${replace_all ? 'every place' : 'one place'}`,
      lines: [...diffLines('-', old_text ?? ''), ...diffLines('+', new_text ?? '')],
    };
  }
  const command = { command: 'string', background: 'boolean?', timeoutMs: 'number?' } as const;
  return name === 'shell' && hasOnly(given, command) ? describeCommand(given as ShellCall) : null;
}

interface ShellCall {
  command: string;
  background?: boolean;
  timeoutMs?: number;
}

/** The command as a shell session shows it. */
function describeCommand({ command, background, timeoutMs }: ShellCall): { title: string; lines: string[] } {
  const where = background ? ' in the background' : '';
  const until = timeoutMs === undefined ? '' : `, at most ${timeoutMs} ms`;
  return {
    title: `shell${where}${until}`,
    lines: command.split('\n').map((line, i) => `${i === 0 ? '$' : '>'} ${line}`),
  };
}

function hasOnly(given: unknown, shape: Readonly<Record<string, string>>): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const fields = given as Record<string, unknown>;
  return (
    Object.keys(fields).every((key) => Object.hasOwn(shape, key)) &&
    Object.entries(shape).every(
      ([key, type]) =>
        typeof fields[key] === type.replace('?', '') || (type.endsWith('?') && fields[key] === undefined),
    )
  );
}

/** A diff with a space after each sign, as {@link linesOf} writes it, and without the file header, which the title has. */
function previewLines(preview: string): string[] {
  const lines = preview.split('\n');
  const isDiff = lines[0]?.startsWith('--- ') && lines[1]?.startsWith('+++ ');
  return (isDiff ? lines.slice(2) : lines).map((line) =>
    /^[-+ ]/.test(line) ? `${line[0]} ${line.slice(1)}` : line,
  );
}

function diffLines(sign: '+' | '-', text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => `${sign} ${line}`);
}

/** Arguments as indented JSON; a string stays as it is. */
export function pretty(given: unknown): string {
  return typeof given === 'string' ? given : JSON.stringify(given, null, 2);
}

function shortened(line: string): string {
  if (line.length <= longestLine) return line;
  return `${line.slice(0, longestLine)}… ${line.length - longestLine} more characters`;
}

function painted(line: string): Text {
  const text = unhidden(line);
  if (line.startsWith('+ ')) return styled('green', text);
  if (line.startsWith('- ')) return styled('red', text);
  return text;
}
