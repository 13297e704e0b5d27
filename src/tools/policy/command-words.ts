import { starMatcher } from '../../text/star-matcher.ts';

/**
 * The words of a command that consists of words only, as a shell would read them: text in single quotes, text in double
 * quotes without a substitution, and harmless characters. Null for a command that joins commands, writes to files,
 * substitutes or expands.
 */
export function plainWords(command: string): string[] | null {
  const words: string[] = [];
  const rest = command.replaceAll(/^[ \t\n]+|[ \t\n]+$/g, '');
  const word = /(?:'[^'\n]*'|"[^"$`\\!\n]*"|[\p{L}\p{M}\p{N}_.,:=+@%/-])+/uy;
  const gap = /[ \t]+/y;
  for (let at = 0; at < rest.length; ) {
    word.lastIndex = at;
    const found = word.exec(rest);
    if (!found) return null;
    words.push(found[0].replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
    at = word.lastIndex;
    if (at === rest.length) break;
    gap.lastIndex = at;
    if (!gap.test(rest)) return null;
    at = gap.lastIndex;
  }
  return words.length > 0 ? words : null;
}

/**
 * Whether a command matches a pattern: `git status` matches exactly this command; `git status:*` and `git status *` match
 * it with any further plain words. A star within a word matches anything but a slash.
 */
export function fitsCommand(command: string, pattern: string): boolean {
  const words = plainWords(command);
  if (!words) return false;
  const [, prefix] = /^(.*?)(?::\*| \*)$/.exec(pattern) ?? [];
  const wanted = (prefix ?? pattern).trim().split(/\s+/);
  if (wanted.length > words.length || (prefix === undefined && wanted.length < words.length)) return false;
  return wanted.every((form, i) => fitsWord(words[i] ?? '', form));
}

function fitsWord(word: string, form: string): boolean {
  if (!form.includes('*')) return word === form;
  const folders = word.split('/');
  const forms = form.split('/');
  const isAlike =
    folders.length === forms.length && forms.every((one, i) => starMatcher(one)(folders[i] ?? ''));
  return isAlike && !word.includes('..');
}
