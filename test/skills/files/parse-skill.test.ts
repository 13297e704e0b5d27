import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSkill } from '../../../src/skills/files/parse-skill.ts';
import { withArguments } from '../../../src/skills/files/skill-text.ts';
import { fixtureSkills } from '../support.ts';

interface Case {
  id: string;
  dir: string;
  text: string;
  expect: {
    loads?: boolean;
    name?: string;
    description?: string;
    specValid?: boolean;
    error?: string;
    allowedTools?: string[];
    metadata?: Record<string, string>;
    maxMillis?: number;
    compile?: { arguments: string; body: string };
  };
}

const cases = JSON.parse(readFileSync(join(fixtureSkills, 'frontmatter-cases.json'), 'utf8')) as Case[];

interface Indexed {
  path: string;
  frontmatter: { name?: string; description?: string; metadata?: unknown; __yaml_error__?: string };
  specIssues: string[];
  bodyStart: string;
}

const index = JSON.parse(readFileSync(join(fixtureSkills, 'index.json'), 'utf8')) as Indexed[];

describe('the frontmatter', () => {
  it('has all its cases', () => {
    expect(cases).toHaveLength(22);
  });

  it.each(cases)('$id', ({ dir, text, expect: wanted }) => {
    const parsed = parseSkill(text, dir);
    const { loads, name, description, specValid, allowedTools, metadata, compile } = wanted;
    if (loads !== undefined) expect(parsed.errors.length === 0).toBe(loads);
    if (name !== undefined) expect(parsed.name).toBe(name);
    if (description !== undefined) expect(parsed.description).toBe(description);
    if (specValid !== undefined)
      expect([...parsed.warnings, ...parsed.errors].length === 0, parsed.warnings.join()).toBe(specValid);
    if (allowedTools) expect(parsed.allowedTools).toEqual(allowedTools);
    if (metadata) expect(parsed.metadata).toEqual(metadata);
    if (compile) expect(withArguments(parsed.body, compile.arguments)).toBe(compile.body);
  });

  it.each([
    ['no-frontmatter', 'no frontmatter'],
    ['name-missing', 'the name is missing'],
    ['description-missing', 'the description is missing'],
    ['name-bad-leading-hyphen', 'begins with a hyphen'],
    ['name-bad-trailing-hyphen', 'ends with a hyphen'],
    ['name-bad-65-chars', 'has 65 characters'],
    ['name-bad-dot', 'other characters'],
    ['desc-1025', 'description is too long'],
    ['yaml-alias-bomb', 'Excessive alias count'],
  ])('%s is told as: %s', (id, words) => {
    const found = cases.find((one) => one.id === id);
    const { warnings, errors } = parseSkill(found?.text ?? '', found?.dir ?? '');
    expect([...warnings, ...errors].join('\n')).toContain(words);
  });

  it('takes the text of a tag, and does nothing that it says', () => {
    const tagged = cases.find(({ id }) => id === 'yaml-tag');
    const { description, warnings } = parseSkill(tagged?.text ?? '', 'n');
    expect(description).toBe('function(){}');
    expect(warnings.join()).toContain('js/function');
  });

  it.each([
    ['description: Use this when: the user asks', 'Use this when: the user asks'],
    ['description: it does: a\n  lot: of things', 'it does: a lot: of things'],
    ['description: it does: a\n\n  lot: of things\n', 'it does: a lot: of things'],
    ['description: @home', '@home'],
    ['description: Says "hello": loudly', 'Says "hello": loudly'],
  ])('is read once more with quotes where it wants them: %s', (line, description) => {
    const parsed = parseSkill(`---\nname: n\n${line}\nlicense: MIT\n---\n`, 'n');
    expect(parsed).toMatchObject({ errors: [], description, license: 'MIT' });
    expect(parsed.warnings).toEqual(['the frontmatter is not valid YAML: a text needs quotes']);
  });

  it.each([
    ['a list that is never closed', 'description: [a'],
    ['a key twice', 'description: a\ndescription: b'],
    ['a list instead of fields', '- a\n- b'],
  ])('that is hopeless is refused: %s', (_, yaml) => {
    expect(parseSkill(`---\nname: n\n${yaml}\n---\n`, 'n').errors).not.toEqual([]);
  });

  it('that has no end is reported', () => {
    expect(parseSkill('---\nname: n\ndescription: d\n', 'n').errors.join()).toContain('has no second');
  });

  it('may begin with a byte-order mark', () => {
    expect(parseSkill('\ufeff---\nname: n\ndescription: d\n---\n', 'n').errors).toEqual([]);
  });

  it('has no value that null would be', () => {
    const parsed = parseSkill('---\nname: n\ndescription: ~\nlicense:\n---\n', 'n');
    expect(parsed.errors.join()).toContain('the description is missing');
    expect(parsed.license).toBeNull();
  });

  it('of an empty list allows no tool, and without the field all', () => {
    const allowed = (line: string) =>
      parseSkill(`---\nname: n\ndescription: d\n${line}---\n`, 'n').allowedTools;
    expect(allowed('allowed-tools: []\n')).toEqual([]);
    expect(allowed('allowed-tools: ""\n')).toEqual([]);
    expect(allowed('')).toBeNull();
    expect(allowed('allowed-tools: Read, Grep,Bash(git log:*)\n')).toEqual([
      'Read',
      'Grep',
      'Bash(git log:*)',
    ]);
  });

  it('never throws, whatever stands there', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('-', '\n', ':', ' ', 'a', '"', '[', '{', '&', '*', '>', '#', '!', '\r'),
        }),
        (text) => {
          const { errors, description } = parseSkill(`---\n${text}\n---\nbody`, 'n');
          expect(errors.length > 0 || description !== '').toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('a skill of another repository', () => {
  it('is among these', () => {
    expect(index).toHaveLength(32);
    expect(globSync('**/SKILL.md', { cwd: fixtureSkills }).sort()).toEqual(
      index.map(({ path }) => path).sort(),
    );
  });

  it.each(index)('$path', ({ path, frontmatter, specIssues, bodyStart }) => {
    const parsed = parseSkill(readFileSync(join(fixtureSkills, path), 'utf8'), basename(dirname(path)));
    const isHopeless = specIssues.includes('yaml-error') || specIssues.includes('description-missing');
    expect(parsed.errors.length > 0).toBe(isHopeless);
    if (!specIssues.includes('yaml-error')) expect(parsed.name).toBe(frontmatter.name);
    if (!isHopeless) expect(parsed.description).toBe(frontmatter.description?.trim());
    expect(`\n${parsed.body}`.replace(/^\n+/, '')).toContain(bodyStart.replace(/^\n+/, ''));
    const named = specIssues.filter((issue) => issue.startsWith('name-'));
    expect(parsed.warnings.length > 0, parsed.warnings.join()).toBe(named.length > 0);
  });

  it('that only a person may choose is known as such', () => {
    const path = 'badlogic__pi-mono/skills/disable-model-invocation/SKILL.md';
    const parsed = parseSkill(readFileSync(join(fixtureSkills, path), 'utf8'), 'disable-model-invocation');
    expect(parsed).toMatchObject({ isForModels: false, isForPeople: true });
  });
});

describe('the outline', () => {
  const outline = (body: string) => {
    const { title, summary, checklist } = parseSkill(`---\nname: n\ndescription: d\n---\n${body}`, 'n');
    return { title, summary, checklist };
  };

  it('is title, first paragraph and checklist', () => {
    expect(
      outline(
        '\n# Main  \n\nOne line\nand another.\n\nMore.\n\n## Checklist\n- Do A\n* Do B\n  - Do C\n\nwords\n-\n## Notes\n- no\n',
      ),
    ).toEqual({ title: 'Main', summary: 'One line\nand another.', checklist: ['Do A', 'Do B', 'Do C'] });
  });

  it('has no summary where a heading follows the title at once', () => {
    expect(outline('# T\n\n## Overview\n\nWords.')).toMatchObject({ title: 'T', summary: '' });
  });

  it('needs no title', () => {
    expect(outline('Words.\n\nMore.')).toMatchObject({ title: null, summary: 'Words.' });
  });

  it('takes no comment of a program for a heading', () => {
    expect(outline('```sh\n# no title\n```\n# Title\n\n```\n## Checklist\n- no\n```\n')).toEqual({
      title: 'Title',
      summary: '',
      checklist: [],
    });
  });

  it('finds the checklist whatever its case', () => {
    expect(outline('# T\n## CHECKLIST\n- a')).toMatchObject({ checklist: ['a'] });
  });

  it('stands in for what the frontmatter does not say', () => {
    const bare = parseSkill('# Tea\n\nMakes tea.\n', 'tea');
    expect(bare).toMatchObject({ name: 'tea', description: 'Makes tea.', title: 'Tea' });
    const named = parseSkill('---\nname: main\ndescription: demo\n---\n# Other\n\nWords.\n', 'main');
    expect(named).toMatchObject({ name: 'main', description: 'demo', title: 'Other' });
  });
});

describe('the words behind the name', () => {
  it('replace every $ARGUMENTS as they are', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.stringMatching(/^[a-z$& ]*$/)), (words, texts) => {
        const clean = texts.map((text) => text.replaceAll('$ARGUMENTS', ''));
        expect(withArguments(clean.join('$ARGUMENTS'), words)).toBe(clean.join(words));
      }),
    );
  });
});
