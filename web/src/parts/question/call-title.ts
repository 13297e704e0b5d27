import { isObject } from '#src/protocol/json.ts';
import { visible } from '../visible.ts';
import { t } from './words.ts';

const maxChars = 80;

/** The question about a call, in a few words: what it does to what. The arguments below say the rest. */
export function titleOf(name: string, args: unknown): string {
  const given = isObject(args) ? args : {};
  const of = (field: string) => (typeof given[field] === 'string' ? shortened(given[field]) : null);
  const path = of('path');
  const url = of('url');
  const command = of('command');
  if (name === 'write_file' && path !== null) return t.writeFile(path);
  if (name === 'edit_file' && path !== null) return t.editFile(path);
  if (name === 'read_file' && path !== null) return t.readFile(path);
  if (name === 'http_get' && url !== null) return t.openUrl(url);
  if (name === 'shell' && command !== null) return t.runCommand(command);
  const said = firstArgument(given);
  return said === null ? t.doCall(name) : t.doCallWith(name, said);
}

const telling = ['path', 'file', 'url', 'to', 'name', 'id', 'title', 'command', 'query'];

/** The argument that says most in few characters: one that names a thing, or else the first short one. */
function firstArgument(given: Readonly<Record<string, unknown>>): string | null {
  const names = [...telling.filter((name) => Object.hasOwn(given, name)), ...Object.keys(given)];
  for (const name of names) {
    const value = given[name];
    if (typeof value === 'string' && value !== '' && !value.includes('\n')) return shortened(value);
    if (typeof value === 'number') return String(value);
  }
  return null;
}

function shortened(text: string, max = maxChars): string {
  const line = visible(text.split('\n', 1)[0] ?? '');
  const characters = Array.from(line);
  const isCut = characters.length > max || text.includes('\n');
  return isCut ? `${characters.slice(0, max).join('')}…` : line;
}

const maxAsked = 240;

/** A question in words: its heading, and what the heading has no room for, so that the buttons stay on the screen. */
export function askedInWords(text: string): { title: string; more: string | null } {
  const [first = '', ...lines] = visible(text).split('\n');
  const title = shortened(first, maxAsked);
  if (title !== first) return { title, more: visible(text) };
  return { title, more: lines.length > 0 ? lines.join('\n') : null };
}

/** What a second try of the call would do, by the class of its tool. */
export function repeatInWords(sideEffect: string | null | undefined): string {
  if (sideEffect === undefined) return t.repeatUnknown;
  if (sideEffect === null) return t.repeatDepends;
  const words: Readonly<Record<string, string>> = {
    readonly: t.repeatReadonly,
    idempotent: t.repeatIdempotent,
    probe: t.repeatProbe,
  };
  return words[sideEffect] ?? t.repeatUnsafe;
}

/** The beginning and the end of a hash. */
export function shortHash(hash: string): string {
  return hash.length <= 16 ? hash : `${hash.slice(0, 8)}…${hash.slice(-6)}`;
}
