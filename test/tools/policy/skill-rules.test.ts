import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FollowedSkill, SkillRule } from '../../../src/protocol/ports/skill-source.ts';
import {
  fitsCommand,
  forbiddingSkill,
  isToolAllowed,
  plainWords,
  skillVotes,
} from '../../../src/tools/policy/skill-rules.ts';

const rule = (text: string): SkillRule => {
  const [, tool = text, pattern = null] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  return { tool, pattern };
};
const rules = (text: string | null) =>
  text === null
    ? null
    : text
        .split(';')
        .filter((one) => one !== '')
        .map(rule);

/** A skill that allows, and confirms before, these; null: it does not say. */
function skill(
  allowed: string | null,
  confirm: string | null = null,
  over: Partial<FollowedSkill> = {},
): FollowedSkill {
  return {
    name: 'tidy',
    from: 'bundled',
    hash: 'h',
    isTrusted: true,
    allowed: rules(allowed),
    confirm: rules(confirm),
    ...over,
  };
}

const args = (value: object) => JSON.stringify(value);
const allows = (allowed: string, tool: string, value: object) =>
  forbiddingSkill(tool, args(value), [skill(allowed)]) === null;

describe('a command that is nothing but words', () => {
  it.each([
    ['git status', ['git', 'status']],
    ["git commit -m 'a; b'", ['git', 'commit', '-m', 'a; b']],
    ['git log --format="%h %s" main', ['git', 'log', '--format=%h %s', 'main']],
    ['  ls   -la  ', ['ls', '-la']],
    ['git show HEAD@{1}', null],
    ['echo 技能', ['echo', '技能']],
  ])('%j is %j', (command, words) => {
    expect(plainWords(command)).toEqual(words);
  });

  it.each([
    'git status; rm -rf .',
    'git status && rm x',
    'git status | sh',
    'git log > x',
    'git log < x',
    'git log $(id)',
    'git log `id`',
    'git log "$(id)"',
    'git log "`id`"',
    'git log $HOME',
    'git log\nrm x',
    'git log\rrm x',
    'git log & rm x',
    '(git log)',
    'git log ~',
    'git log *',
    'git log {a,b}',
    'git log \\; rm',
    "git log 'open",
    'git log "open',
    'git log #x',
    'git log !x',
    '',
    '   ',
  ])('is not %j', (command) => {
    expect(plainWords(command)).toBeNull();
    expect(fitsCommand(command, 'git:*')).toBe(false);
  });

  it('never has a character in it that a shell obeys, outside of quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab \'";|&$`<>(){}*?[]~#!\\\n\t=-') }), (command) => {
        if (plainWords(command) === null) return;
        const bare = command
          .trim()
          .replaceAll(/'[^']*'/g, '')
          .replaceAll(/"[^"$`\\!]*"/g, '');
        expect(bare).not.toMatch(/[;|&$`<>(){}*?[\]~#!\\\n'"]/);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('the calls that a skill allows', () => {
  it.each([
    ['shell(git:*)', 'git', true],
    ['shell(git:*)', 'git log -3', true],
    ['shell(git:*)', 'gitk', false],
    ['shell(git:*)', 'sudo git log', false],
    ['shell(git:*)', 'GIT_SSH=x git log', false],
    ['shell(git:*)', './git log', false],
    ['shell(git log:*)', 'git log --oneline', true],
    ['shell(git log:*)', 'git push', false],
    ['shell(git log:*)', 'git  log', true],
    ['shell(git *)', 'git log', true],
    ['shell(npm run test)', 'npm run test', true],
    ['shell(npm run test)', 'npm run test -- x', false],
    ['shell(npm run test)', 'npm run', false],
    ['shell(python3 scripts/*.py:*)', 'python3 scripts/a.py x', true],
    ['shell(python3 scripts/*.py:*)', 'python3 scripts/../a.py', false],
    ['shell(python3 scripts/*.py:*)', 'python3 scripts/a/b.py', false],
    ['shell', 'rm -rf . ; ls', true],
  ])('%s and %j: %s', (allowed, command, expected) => {
    expect(allows(allowed, 'shell', { command })).toBe(expected);
  });

  it.each([
    ['write_file(notes/**)', 'write_file', { path: 'notes/a/b.md', content: '' }, true],
    ['write_file(notes/**)', 'write_file', { path: './notes/a.md', content: '' }, true],
    ['write_file(notes/**)', 'write_file', { path: 'notes/../a.md', content: '' }, false],
    ['write_file(notes/**)', 'write_file', { path: 'a.md', content: '' }, false],
    ['list_files(docs/**)', 'list_files', { path: 'docs' }, true],
    ['list_files(docs/**)', 'list_files', {}, false],
    ['read_file(*.md)', 'read_file', { path: 'a.md' }, true],
    ['read_file(*.md)', 'read_file', { path: 'a/b.md' }, false],
    ['http_get(domain:example.com)', 'http_get', { url: 'https://example.com/x' }, true],
    ['http_get(domain:example.com)', 'http_get', { url: 'https://www.Example.com:8443/' }, true],
    ['http_get(domain:example.com)', 'http_get', { url: 'https://evilexample.com/' }, false],
    ['http_get(domain:example.com)', 'http_get', { url: 'https://example.com.evil.net/' }, false],
    ['http_get(domain:example.com)', 'http_get', { url: 'https://example.com@evil.net/' }, false],
    ['http_get(example.com)', 'http_get', { url: 'https://example.com/' }, false],
    ['calculator(1+1)', 'calculator', { expression: '1+1' }, false],
    ['mcp__wiki__*', 'mcp__wiki__read', {}, true],
    ['mcp__wiki__*', 'mcp__mail__send', {}, false],
  ])('%s and %s %j: %s', (allowed, tool, value, expected) => {
    expect(allows(allowed, tool, value)).toBe(expected);
  });

  it('are none for an empty list, and all where it does not say', () => {
    expect(isToolAllowed('read_file', [skill('')])).toBe(false);
    expect(isToolAllowed('skill', [skill('')])).toBe(false);
    expect(isToolAllowed('read_file', [skill(null)])).toBe(true);
    expect(forbiddingSkill('shell', '{"command":"x"}', [skill(null)])).toBeNull();
  });

  it('always have its own files among them', () => {
    expect(isToolAllowed('skill', [skill('read_file')])).toBe(true);
    expect(forbiddingSkill('skill', '{"name":"tidy"}', [skill('read_file')])).toBeNull();
  });

  it('are with several skills those that each of them allows', () => {
    const both = [skill('shell(git:*);read_file'), skill('shell;grep', null, { name: 'other' })];
    expect(isToolAllowed('shell', both)).toBe(true);
    expect(isToolAllowed('read_file', both)).toBe(false);
    expect(forbiddingSkill('shell', args({ command: 'git log' }), both)).toBeNull();
    expect(forbiddingSkill('shell', args({ command: 'ls' }), both)?.name).toBe('tidy');
  });

  it('can only become fewer with one more skill', () => {
    const any = fc
      .array(fc.constantFrom('shell', 'shell(git:*)', 'read_file', 'write_file(notes/**)', 'mcp__*'), {
        maxLength: 3,
      })
      .chain((list) => fc.constantFrom(skill(list.join(';')), skill(null)));
    const call = fc.constantFrom<[string, object]>(
      ['shell', { command: 'git log' }],
      ['shell', { command: 'ls; id' }],
      ['read_file', { path: 'a' }],
      ['write_file', { path: 'notes/a', content: '' }],
      ['mcp__a__b', {}],
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 3 }), any, call, (skills, more, [tool, value]) => {
        const allowed = (list: FollowedSkill[]) =>
          isToolAllowed(tool, list) && forbiddingSkill(tool, args(value), list) === null;
        if (allowed([...skills, more])) expect(allowed(skills)).toBe(true);
      }),
    );
  });
});

describe('what a skill says of asking', () => {
  const command = args({ command: 'git log' });
  const said = (...skills: FollowedSkill[]) => skillVotes('shell', command, skills);

  it('is heard from any skill when it asks', () => {
    expect(said(skill(null, 'shell', { isTrusted: false }))).toEqual({ asks: 'tidy', relaxes: null });
    expect(said(skill(null, 'shell(git:*)'))).toEqual({ asks: 'tidy', relaxes: null });
    expect(said(skill(null, 'shell(npm:*)'))).toEqual({ asks: null, relaxes: null });
  });

  it('is heard from a trusted skill when it does not, about calls that it allows itself', () => {
    expect(said(skill('shell(git:*)', ''))).toEqual({ asks: null, relaxes: 'tidy' });
    expect(said(skill('shell(git:*)', 'write_file'))).toEqual({ asks: null, relaxes: 'tidy' });
  });

  it.each<[string, FollowedSkill[]]>([
    ['from a skill that is not trusted', [skill('shell', '', { isTrusted: false })]],
    ['from one that does not say what it confirms', [skill('shell')]],
    ['about calls that it does not name', [skill('read_file', '')]],
    ['about calls that its pattern does not mean', [skill('shell(npm:*)', '')]],
    ['without a list of what it allows', [skill(null, '')]],
    ['beside a skill that is not trusted', [skill('shell', ''), skill('shell', null, { isTrusted: false })]],
    ['beside a skill that asks', [skill('shell', ''), skill(null, 'shell')]],
  ])('is not heard %s', (_, skills) => {
    expect(said(...skills).relaxes).toBeNull();
  });
});
