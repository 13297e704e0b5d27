import type { JsonObject } from '../../../protocol/json.ts';
import { withDigits } from './numerals.ts';
import { asFile } from './paths.ts';
import type { Rule } from './rule.ts';

interface Reading {
  file: string;
  offset?: number;
  limit?: number;
}

const verb = /^(?:read|open|cat|print|display|show me|show|view)\s+/i;
const contentsOf = /^(?:me )?(?:the )?(?:whole |full )?(?:contents?|text) of\s+/i;
const whatIsIn = /^(?:what is|what['’]s) (?:in|inside|written in|the contents? of) (.{1,300})$/i;
const whatItSays = /^what does (.{1,300}) (?:say|contain)$/i;
const firstLines = /^(?:only )?(?:the )?first (\d{1,6}|[a-z]{3,9}) lines? (?:of|in|from) (.{1,300})$/i;
const someLines =
  /^(?:only )?(?:the )?lines? (\d{1,6})(?: ?(?:to|-|through) ?(\d{1,6}))? (?:of|in|from) (.{1,300})$/i;

const chinese =
  /^(?:读取|读出|读一下|读|打开|查看|显示|展示|看看|看一下|看)\s?(.{1,300}?)\s?(?:里|中)?(?:的(?:全部)?内容)?$/;
const chineseFirst =
  /^(?:读取|读一下|读|查看|显示|看看|看一下|看)\s?(.{1,300}?)\s?的?前\s?([\d一二两三四五六七八九十百]{1,6})\s?行(?:的?内容)?$/;
const chineseRange =
  /^(?:读取|读一下|读|查看|显示|看看|看一下|看)\s?(.{1,300}?)\s?的?第?\s?(\d{1,6})\s?(?:行)?(?:到|至|-|~)第?\s?(\d{1,6})\s?行(?:的?内容)?$/;
const chineseQuestion =
  /^(.{1,300}?)\s?(?:的内容(?:是什么)?|(?:里|中)(?:面)?(?:有什么|写了什么|是什么))(?:内容)?$/;

/** Notes in brackets that the tool adds as its last line. */
const emptyFile = '[the file is empty]';
const note = /(?<=\n)\[(?:lines? \d|only the first |line ends are |not all of it )[^\n]*\]$/;
const lossy = /only the first |not all of it /;

/** "read README.md", "show me the first 10 lines of notes.txt", "读取 notes.txt". */
export const readFileRule: Rule = {
  tool: 'read_file',
  changes: false,
  example: { en: 'read README.md', zh: '读取 README.md' },
  match({ text }) {
    const reading = verb.test(text) ? afterVerb(text.replace(verb, '')) : (question(text) ?? inChinese(text));
    const path = reading && asFile(reading.file);
    if (!path) return null;
    const args: JsonObject = { path };
    if (reading.offset !== undefined) args.offset = reading.offset;
    if (reading.limit !== undefined) args.limit = reading.limit;
    return { tool: 'read_file', args };
  },
  title: (args) => `${args.path}: `,
  handOn(args, result) {
    if (result === emptyFile) return '';
    const noteAt = result.search(note);
    if (noteAt === -1) return result;
    // A request for some lines accepts part of the file, as long as these lines are whole. A request for the file does not.
    const isPartial = args.limit === undefined || lossy.test(result.slice(noteAt));
    return isPartial ? null : result.slice(0, noteAt);
  },
};

function afterVerb(rest: string): Reading | null {
  const first = firstLines.exec(rest);
  if (first) return beginning(first[2], first[1]);
  const range = someLines.exec(rest);
  if (range) return between(range[3], range[1], range[2] ?? range[1]);
  return { file: rest.replace(contentsOf, '') };
}

function question(text: string): Reading | null {
  const found = whatIsIn.exec(text) ?? whatItSays.exec(text);
  return found ? { file: found[1] ?? '' } : null;
}

function inChinese(text: string): Reading | null {
  const first = chineseFirst.exec(text);
  if (first) return beginning(first[1], first[2]);
  const range = chineseRange.exec(text);
  if (range) return between(range[1], range[2], range[3]);
  const found = chinese.exec(text) ?? chineseQuestion.exec(text);
  return found ? { file: found[1] ?? '' } : null;
}

function beginning(file = '', count = ''): Reading | null {
  const limit = Number(withDigits(count));
  return limit > 0 ? { file, limit } : null;
}

function between(file = '', from = '', to = ''): Reading {
  const offset = Number(from);
  return { file, offset, limit: Math.max(1, Number(to) - offset + 1) };
}
