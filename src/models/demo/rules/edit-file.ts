import type { JsonObject } from '../../../protocol/json.ts';
import { cutAt, unquoted } from '../quotes.ts';
import { asFile } from './paths.ts';
import type { DemoCall, Rule } from './rule.ts';

const verb = /^(?:replace|change)\s/i;
const pathFirst = /^in\s(.{1,300}?),?\s(?:replace|change)\s(.+)$/is;
const every = /^(?:all|every)\s(?:occurrences? of\s)?/i;
const becomes = /\s(?:with|by|to|into)\s/iy;
const inside = /\s(?:in|inside)\s/iy;

const chinesePath = /^[把将在]\s?(.{1,300}?)\s?(?:(?:里面|里|中)\s?[的把将]?|[的把将]|(?=所有))\s?(.+)$/s;
const chineseEvery = /^所有的?\s?/;
const chineseEach = /\s?(?:全部|全都|都)$/;
const chineseBecomes = /(?:改成|改为|替换成|替换为|换成|换为)/y;

/** An edit as it was worded. */
interface Wording {
  path: string;
  before: string;
  after: string;
  all: boolean;
}

/** "replace foo with bar in a.txt", "把 a.txt 里的 foo 改成 bar". */
export const editFileRule: Rule = {
  tool: 'edit_file',
  changes: true,
  example: { en: 'replace foo with bar in notes.txt', zh: '把 notes.txt 里的 foo 改成 bar' },
  match({ text, full }) {
    // Only the first form ends in a path; in the others every character of the ending counts.
    const wording = endingInPath(text) ?? beginningWithPath(full) ?? inChinese(full);
    return wording && editing(wording);
  },
  title: (_args, language) => (language === 'zh' ? '完成：' : 'Done: '),
};

function endingInPath(text: string): Wording | null {
  const change = verb.test(text) ? cutAt('first', text.replace(verb, ''), becomes) : null;
  const place = change && cutAt('last', change.right, inside);
  return place && worded(place.right, change.left, place.left);
}

function beginningWithPath(text: string): Wording | null {
  const [, path = '', rest = ''] = pathFirst.exec(text) ?? [];
  const change = cutAt('first', rest, becomes);
  return change && worded(path, change.left, change.right);
}

function worded(path: string, before: string, after: string): Wording {
  return { path, before: before.replace(every, ''), after, all: every.test(before) };
}

function inChinese(text: string): Wording | null {
  const change = cutAt('first', text, chineseBecomes);
  const [, path = '', rest = ''] = (change && chinesePath.exec(change.left)) ?? [];
  if (!change || rest === '') return null;
  const target = rest.trim();
  const before = target.replace(chineseEvery, '').replace(chineseEach, '');
  return { path, before, after: change.right, all: before !== target };
}

function editing({ path: phrase, before, after, all }: Wording): DemoCall | null {
  const path = asFile(phrase);
  const oldText = literal(before);
  if (path === null || oldText === '') return null;
  const args: JsonObject = { path, old_text: oldText, new_text: literal(after) };
  if (all) args.replace_all = true;
  return { tool: 'edit_file', args };
}

function literal(phrase: string): string {
  const text = phrase.trim();
  return unquoted(text) ?? text;
}
