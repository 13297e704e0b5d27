import { unquoted } from '../quotes.ts';

const han = /\p{Script=Han}/u;
const plainPath = /^[\p{Letter}\p{Number}._~/\\@()+-]+$/u;
const extension = /\.[a-z]\w{0,9}$/i;
const rooted = /^(?:\.{1,2}|~)?[/\\]/;
const wellKnown = /^(?:readme|license|changelog|makefile|dockerfile)$/i;

const article = /^(?:the|a|my|this)\s+/i;
const insideOf = /\s*(?:的|这个)?(?:文件)?(?:里面|里|中)?$/;
const fileWord =
  /^(?:new\s+)?(?:text\s+)?file\s+(?:called\s+|named\s+)?|^(?:一个)?(?:名为|叫做|叫|新?的?文件)\s*/i;
const fileSuffix = /\s+file$/i;

const here =
  /^(?:(?:the |this |my )?(?:current |working )?(?:directory|folder|dir|workspace|project)|here|\.|(?:当前|这个|本|工作)?(?:目录|文件夹|工作区|项目)|这里|当前|你|我)$/i;
const folderWord = /^the\s+|\s+(?:directory|folder|dir)$|^(?:目录|文件夹)\s*|\s*(?:目录|文件夹)$/gi;

/** Also keeps the patterns above, which search for a suffix, cheap on hostile text. */
const maxPathLength = 300;

/**
 * The file that a phrase names, or null when it names none.
 *
 * Quoted, or after the word "file", any one line is a path; otherwise only what looks like one (an extension, a
 * leading `/` or `./`, README), so that "read a book" and "write to grandma" are left alone. Chinese has no spaces to
 * tell a name from a phrase, so there the word alone (文件) does not suffice.
 */
export function asFile(phrase: string): string | null {
  if (phrase.length > maxPathLength) return null;
  const name = phrase.trim().replace(article, '').replace(insideOf, '');
  const bare = name.replace(fileWord, '').replace(fileSuffix, '').trim();
  const quoted = unquoted(bare);
  if (quoted !== null) return isOneLine(quoted) ? quoted : null;
  if (!plainPath.test(bare)) return null;
  const isCalledFile = bare !== name && !han.test(bare);
  return isCalledFile || looksLikeFile(bare) ? bare : null;
}

/**
 * The folder that a phrase names; '' for the current one; null when it names none. A Chinese name needs quotation
 * marks or the word 目录 or 文件夹.
 */
export function asFolder(phrase: string): string | null {
  if (phrase.length > maxPathLength) return null;
  const named = phrase.trim();
  if (here.test(named)) return '';
  const bare = named.replace(folderWord, '').trim();
  const quoted = unquoted(bare);
  if (quoted !== null) return isOneLine(quoted) ? quoted : null;
  if (!plainPath.test(bare)) return null;
  return bare !== named || !han.test(bare) ? bare : null;
}

function looksLikeFile(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return extension.test(name) || wellKnown.test(name) || rooted.test(path);
}

function isOneLine(path: string): boolean {
  return path.trim() !== '' && !/[\r\n]/.test(path);
}
