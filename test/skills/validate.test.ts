import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateFolder } from '../../src/skills/validate.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { writeFiles } from '../support/files.ts';
import { shelf, skillFile } from './support.ts';

/** What is said of one `SKILL.md` with this text, and what discovery makes of it. */
async function validated(text: string | Uint8Array, folder = 'n') {
  const workspace = await temporaryWorkspace();
  await mkdir(join(workspace, 'skills', folder), { recursive: true });
  await writeFile(join(workspace, 'skills', folder, 'SKILL.md'), text);
  const [found] = (await validateFolder(join(workspace, 'skills'), () => true)) ?? [];
  if (!found) throw new Error('nothing was found');
  const { library } = await shelf({}, { folders: [join(workspace, 'skills')] });
  const { skills, bad } = await library.found();
  // Both read the same file in ways of their own.
  expect(skills.map(({ name, description }) => ({ name, description }))).toEqual(
    found.loads ? [{ name: found.name, description: found.description }] : [],
  );
  expect(bad.length > 0).toBe(!found.loads);
  for (const skill of skills) await expect(library.show(skill.name)).resolves.toBeTruthy();
  expect(Object.keys(found).sort()).toEqual(['description', 'errors', 'loads', 'name', 'path', 'warnings']);
  expect(found.loads).toBe(found.errors.length === 0);
  return found;
}

const quotes = 'the frontmatter is not valid YAML: a text needs quotes';

describe('a SKILL.md that is odd, and can be loaded', () => {
  it.each<[what: string, text: string, description: string, warnings: string[]]>([
    [
      'a byte-order mark and CRLF',
      '\ufeff---\r\nname: n\r\ndescription: With a mark.\r\n---\r\nx\r\n',
      'With a mark.',
      [],
    ],
    [
      'dashes in its body',
      '---\nname: n\ndescription: d\n---\n# T\n\n---\n\n---\nname: other\n---\n',
      'd',
      [],
    ],
    ['tabs behind its colons', '---\nname:\tn\ndescription:\td e\n---\n', 'd e', []],
    ['numbers for texts', '---\nname: n\ndescription: 456\n---\n', '456', []],
    [
      'a folded text of two paragraphs',
      '---\nname: n\ndescription: >-\n  one\n  two\n\n  three\n---\n',
      'one two\nthree',
      [],
    ],
    [
      'a text that goes on below',
      '---\nname: n\ndescription: one\n  two\n    three\n---\n',
      'one two three',
      [],
    ],
    ['one flow map', '---\n{name: n, description: d}\n---\n', 'd', []],
    ['metadata in JSON', '---\nname: n\ndescription: d\nmetadata: {"a":{"b":["c"]}}\n---\n', 'd', []],
    ['metadata that holds itself', '---\nname: n\ndescription: d\nmetadata: &m\n  a: [*m]\n---\n', 'd', []],
    ['comments', '---\nname: n # no\ndescription: d # x\n# c\n---\n', 'd', []],
    [
      'colons in several fields, and below one',
      '---\nname: n\ndescription: Use when: asked\ncompatibility: Needs: git\nmetadata:\n  author: me: you\n---\n',
      'Use when: asked',
      [quotes],
    ],
    [
      'quotes at both ends of its words',
      '---\nname: n\ndescription: "A" and "B": c\n---\n',
      '"A" and "B": c',
      [quotes],
    ],
    [
      'a word in brackets',
      '---\nname: n\ndescription: [Beta] Does things\n---\n',
      '[Beta] Does things',
      [quotes],
    ],
    ['a word in stars', '---\nname: n\ndescription: *Fast* things\n---\n', '*Fast* things', [quotes]],
    ['more than', '---\nname: n\ndescription: > 80% of things: yes\n---\n', '> 80% of things: yes', [quotes]],
  ])('has %s', async (_, text, description, warnings) => {
    expect(await validated(text)).toMatchObject({
      loads: true,
      name: 'n',
      description,
      warnings,
      errors: [],
    });
  });

  it.each<[what: string, text: string | Uint8Array, warning: string]>([
    [
      'tags of programs',
      '---\nname: n\ndescription: !!js/function "f"\n---\n',
      'Unresolved tag: tag:yaml.org,2002:js/function',
    ],
    [
      'bytes that are no UTF-8',
      Buffer.from('---\nname: n\ndescription: caf\xe9\n---\n', 'latin1'),
      'it is not all UTF-8: some characters are lost',
    ],
    [
      'fields that mean something to JavaScript',
      '---\n__proto__: x\nname: n\ndescription: d\n---\n',
      'the field "__proto__" is none of the format',
    ],
    [
      'a list of tools with a map in it',
      '---\nname: n\ndescription: d\nallowed-tools: [Read, {a: b}]\n---\n',
      'allowed-tools is neither a text nor a list of texts',
    ],
  ])('is warned of: %s', async (_, text, warning) => {
    const { loads, warnings } = await validated(text);
    expect({ loads, warnings }).toEqual({ loads: true, warnings: [warning] });
  });

  it('may have a name in any script, however it is composed', async () => {
    const composed = await validated('---\nname: caf\u00e9\ndescription: d\n---\n', 'cafe\u0301');
    expect(composed).toMatchObject({ loads: true, warnings: [] });
    const chinese = await validated('---\nname: 技能\ndescription: 描述：好的\n---\n', '技能');
    expect(chinese).toMatchObject({ loads: true, description: '描述：好的', warnings: [] });
  });
});

describe('a SKILL.md that cannot be loaded is refused with the reason:', () => {
  const keys = Array.from({ length: 8_000 }, (_, i) => `  k${i}: v\n`).join('');
  const bomb =
    'a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n';

  it.each<[what: string, text: string | Uint8Array, error: string]>([
    ['empty', '', 'no frontmatter: it does not begin with "---"'],
    ['nothing between the dashes', '---\n---\n', 'the description is missing'],
    ['no second dashes', '---\nname: n\ndescription: d\n# T\n', 'has no second below it'],
    [
      'a key twice',
      '---\nname: n\ndescription: a\ndescription: b\n---\n',
      'Map keys must be unique (line 4)',
    ],
    [
      'tabs to begin a line',
      '---\nname: n\ndescription: d\nmetadata:\n\ta: b\n---\n',
      'Tabs are not allowed as indentation (line 5)',
    ],
    ['aliases of aliases', `---\nname: n\ndescription: d\n${bomb}---\n`, 'Excessive alias count'],
    [
      'a description that holds itself',
      '---\nname: n\ndescription: &d [*d]\n---\n',
      'the description is not a text',
    ],
    [
      'a map for a description',
      '---\nname: [a]\ndescription: {a: b}\n---\n',
      'the description is not a text',
    ],
    ['no description', '---\nname: n\ndescription: ~\n---\n', 'the description is missing'],
    ['a list', '---\n- a\n- b\n---\n', 'it is not a list of "key: value"'],
    ['a text', '---\njust text\n---\n', 'it is not a list of "key: value"'],
    [
      'a thousand brackets',
      `---\nname: n\ndescription: d\nx: ${'['.repeat(2_000)}\n---\n`,
      'more than 1000 brackets',
    ],
    ['eight thousand keys', `---\nname: n\ndescription: d\nmetadata:\n${keys}---\n`, 'at most 65536'],
    ['a megabyte', `---\nname: n\ndescription: d\n---\n${'x'.repeat(1_000_000)}`, 'more than 1000000'],
    ['zeros', 'a\0b', 'it is not text'],
    ['UTF-16', Buffer.from('\ufeff---\nname: n\ndescription: d\n---\n', 'utf16le'), 'it is not text'],
  ])('%s', async (_, text, error) => {
    const { loads, description, errors } = await validated(text);
    expect({ loads, description }).toEqual({ loads: false, description: null });
    expect(errors.join()).toContain(error);
  });

  it('fields that are almost those of the format are named', async () => {
    const { errors, warnings } = await validated('---\nName: n\nDescription: d\n---\n');
    expect(errors.join()).toContain('the description is missing');
    expect(warnings).toContain('the field "Description" is none of the format');
  });
});

describe('what stands where a SKILL.md should', () => {
  it('is reported one by one, and everything else is still checked', async () => {
    const folder = await temporaryWorkspace();
    const outside = await temporaryWorkspace();
    await writeFiles(outside, { 'out/SKILL.md': skillFile('out') });
    await writeFiles(folder, {
      'folder/SKILL.md/inner/SKILL.md': skillFile('inner'),
      'good/SKILL.md': skillFile('good'),
      'lower/skill.md': skillFile('lower'),
      'skill.md/deep/SKILL.md': skillFile('deep'),
    });
    await symlink('nowhere', await made(folder, 'dangling'));
    await symlink('SKILL.md', await made(folder, 'self'));
    await symlink('loop', join(folder, 'loop'));
    await symlink('..', join(folder, 'up'));
    await symlink(join(outside, 'out'), join(folder, 'out'));
    execFileSync('/usr/bin/mkfifo', [await made(folder, 'pipe')]);
    const files = (await validateFolder(folder, () => true)) ?? [];
    const told = files.map(({ path, loads, warnings, errors }) => [
      path.slice(folder.length + 1),
      loads,
      [...warnings, ...errors].join().replace(/:? (?:no such|too many).*/, ''),
    ]);
    expect(told).toEqual([
      ['dangling/SKILL.md', false, 'it cannot be read: ENOENT'],
      ['folder/SKILL.md', false, 'it cannot be read: it is not a file'],
      ['good/SKILL.md', true, ''],
      ['lower/skill.md', false, 'it is called "skill.md"; a skill is only found in "SKILL.md"'],
      [
        'out/SKILL.md',
        true,
        'a link leads out of the folder: in the folders of a workspace such skills are left out',
      ],
      ['pipe/SKILL.md', false, 'it cannot be read: it is not a file'],
      ['self/SKILL.md', false, 'it cannot be read: ELOOP'],
      ['skill.md/deep/SKILL.md', true, ''],
    ]);
  });

  it('may be named itself', async () => {
    const folder = await temporaryWorkspace();
    await writeFiles(folder, { 'a/skill.md': skillFile('a'), 'b/SKILL.md': skillFile('b') });
    expect(await validateFolder(join(folder, 'b/SKILL.md'), () => true)).toMatchObject([
      { loads: true, name: 'b' },
    ]);
    expect(await validateFolder(join(folder, 'a/skill.md'), () => true)).toMatchObject([{ loads: false }]);
    expect(await validateFolder(join(folder, 'c'), () => true)).toBeNull();
  });
});

/** The path of a `SKILL.md` that is not there yet, in a folder that is. */
async function made(folder: string, name: string): Promise<string> {
  await mkdir(join(folder, name));
  return join(folder, name, 'SKILL.md');
}
