import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CatalogueOptions, SkillCatalogue } from '../../src/skills/files/catalogue.ts';
import { itDeep } from '../support/deep.ts';
import { scripted, temporaryWorkspace } from '../support/detent.ts';
import { writeFiles } from '../support/files.ts';
import { describeWith } from '../support/needs.ts';
import { skillFile } from './support.ts';

const rest = 1_000;
const trust = 60_000;

/** A catalogue of the skills of a workspace that has been asked twice, so that its folders are watched. */
async function watched(
  files: Readonly<Record<string, string>>,
  { more, ...options }: CatalogueOptions & { more?: (workspace: string) => Promise<void> } = {},
) {
  const workspace = await temporaryWorkspace();
  await writeFiles(workspace, files);
  await more?.(workspace);
  let time = 0;
  const roots = ['skills', '.claude/skills'].map((folder) => ({
    folder: join(workspace, folder),
    from: 'project' as const,
    within: workspace,
  }));
  const catalogue = new SkillCatalogue(roots, { now: () => time, ...options });
  onTestFinished(() => catalogue.close());
  const pass = async (ms: number) => {
    time += ms;
    await catalogue.refresh();
  };
  const names = () => catalogue.found.skills.map(({ name }) => name);
  /** The clock does not advance meanwhile, so only reports of watchers cause a check. */
  const told = (expected: readonly string[]) =>
    vi.waitFor(
      async () => {
        await catalogue.refresh();
        expect(names()).toEqual(expected);
      },
      { timeout: 60_000 },
    );
  await catalogue.refresh();
  await pass(rest);
  return { workspace, catalogue, names, pass, told, path: (name: string) => join(workspace, name) };
}

const tea = { 'skills/tea/SKILL.md': skillFile('tea') };

describe('a catalogue that is asked again and again', () => {
  it('notices a skill that is new, changed, replaced, moved or removed', async () => {
    const { workspace, told, path } = await watched(tea);
    await writeFiles(workspace, { 'skills/cake/SKILL.md': skillFile('cake') });
    await told(['cake', 'tea']);
    await writeFile(path('skills/tea/SKILL.md'), skillFile('mate'));
    await told(['cake', 'mate']);
    await writeFile(path('skills/tea/new'), skillFile('milk'));
    await rename(path('skills/tea/new'), path('skills/tea/SKILL.md'));
    await told(['cake', 'milk']);
    await rename(path('skills/cake'), path('skills/pie'));
    await writeFile(path('skills/pie/SKILL.md'), skillFile('pie'));
    await told(['milk', 'pie']);
    await rm(path('skills/tea'), { recursive: true });
    await told(['pie']);
  });

  it('still notices a folder that was made again, and one that was moved into its place', async () => {
    const { workspace, told, path, pass } = await watched({
      ...tea,
      'skills/box/in/SKILL.md': skillFile('in'),
    });
    await rm(path('skills/tea'), { recursive: true });
    await writeFiles(workspace, tea);
    await writeFiles(workspace, { 'other/in/SKILL.md': skillFile('inner') });
    await rename(path('skills/box'), path('box'));
    await rename(path('other'), path('skills/box'));
    await told(['inner', 'tea']);
    await pass(rest);
    await writeFile(path('skills/tea/SKILL.md'), skillFile('mate'));
    await told(['inner', 'mate']);
    await writeFile(path('skills/box/in/SKILL.md'), skillFile('innermost'));
    await told(['innermost', 'mate']);
  });

  it('looks at what no watcher tells of: a folder that is yet to come, and links', async () => {
    const { workspace, names, pass, path } = await watched(tea, {
      more: async (workspace) => {
        await writeFiles(workspace, {
          'a/SKILL.md': skillFile('a'),
          'b/SKILL.md': skillFile('b'),
          'text.md': skillFile('file'),
        });
        await mkdir(join(workspace, 'skills/file'));
        await symlink('../../text.md', join(workspace, 'skills/file/SKILL.md'));
        await symlink('../a', join(workspace, 'skills/link'));
        await symlink('../later', join(workspace, 'skills/late'));
        await symlink('..', join(workspace, 'skills/tea/loop'));
        await symlink('self', join(workspace, 'skills/self'));
      },
    });
    expect(names()).toEqual(['a', 'file', 'tea']);
    await writeFiles(workspace, { '.claude/skills/new/SKILL.md': skillFile('new') });
    await pass(rest);
    expect(names()).toEqual(['a', 'file', 'new', 'tea']);
    await writeFile(path('text.md'), skillFile('filed'));
    await pass(rest);
    expect(names()).toEqual(['a', 'filed', 'new', 'tea']);
    await writeFiles(workspace, { 'later/SKILL.md': skillFile('later') });
    await pass(rest);
    expect(names()).toEqual(['a', 'filed', 'later', 'new', 'tea']);
    // What the link leads to is another folder now, though the link is the same.
    await rename(path('a'), path('was'));
    await rename(path('b'), path('a'));
    await pass(rest);
    expect(names()).toEqual(['b', 'filed', 'later', 'new', 'tea']);
  });

  it('sees what has been mended', async () => {
    const { names, pass, path, told } = await watched({
      'skills/tea/SKILL.md': 'no frontmatter',
      'skills/zero/SKILL.md': 'a\0b',
    });
    expect(names()).toEqual([]);
    await writeFile(path('skills/tea/SKILL.md'), skillFile('tea'));
    await told(['tea']);
    await pass(rest);
    await writeFile(path('skills/zero/SKILL.md'), skillFile('zero'));
    await told(['tea', 'zero']);
  });

  it('reads only what has changed', async () => {
    const { catalogue, told, path } = await watched({ ...tea, 'skills/cake/SKILL.md': skillFile('cake') });
    const before = catalogue.found.skills.find(({ name }) => name === 'cake');
    await writeFile(path('skills/tea/SKILL.md'), skillFile('mate'));
    await told(['cake', 'mate']);
    expect(catalogue.found.skills.find(({ name }) => name === 'cake')).toBe(before);
  });

  it('does not look at each file while all is quiet, and does so once a minute', async () => {
    const { catalogue, names, pass, path } = await watched(tea);
    // The watchers are gone, so the catalogue does not learn of it.
    catalogue.close();
    await writeFile(path('skills/tea/SKILL.md'), skillFile('mate'));
    await pass(rest);
    expect(names()).toEqual(['tea']);
    await pass(trust);
    expect(names()).toEqual(['mate']);
  });

  it.each([
    ['none is wanted', { isWatching: false }],
    ['the system has too few', { maxWatchers: 1 }],
  ])('looks each time where there are no watchers: %s', async (_, options) => {
    const { names, pass, path } = await watched(tea, options);
    await writeFile(path('skills/tea/SKILL.md'), skillFile('mate'));
    await pass(rest);
    expect(names()).toEqual(['mate']);
  });

  itDeep('keeps an eye on a thousand skills', async () => {
    const thousand = Array.from({ length: 1_000 }, (_, i) => [`skills/s${i}/SKILL.md`, skillFile(`s${i}`)]);
    const { names, catalogue, path } = await watched(Object.fromEntries(thousand));
    expect(names()).toHaveLength(1_000);
    await writeFile(path('skills/s999/SKILL.md'), skillFile('last'));
    await vi.waitFor(
      async () => {
        await catalogue.refresh();
        expect(names()).toContain('last');
      },
      { timeout: 60_000 },
    );
    expect(names()).toHaveLength(1_000);
  });
});

describe('watchers', () => {
  it('keep no process alive', async () => {
    const workspace = await temporaryWorkspace();
    await writeFiles(workspace, tea);
    const module = new URL('../../src/skills/files/catalogue.ts', import.meta.url).href;
    const program = `
      import { SkillCatalogue } from ${JSON.stringify(module)};
      let time = 0;
      const root = { folder: ${JSON.stringify(join(workspace, 'skills'))}, from: 'home', within: null };
      const catalogue = new SkillCatalogue([root], { now: () => (time += 2_000) });
      await catalogue.refresh();
      await catalogue.refresh();
      console.log(catalogue.found.skills.length);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const out: string[] = [];
    child.stdout.on('data', (chunk) => out.push(String(chunk)));
    const [code] = await once(child, 'close');
    expect({ code, out: out.join('') }).toEqual({ code: 0, out: '1\n' });
  });

  describeWith(
    existsSync('/proc/self/fdinfo'),
    'only Linux tells of watchers',
    true,
  )('of a program', () => {
    /** Folders and files that this process watches. */
    const count = () =>
      readdirSync('/proc/self/fdinfo')
        .map((fd) => {
          try {
            return readFileSync(join('/proc/self/fdinfo', fd), 'utf8');
          } catch {
            return '';
          }
        })
        .join('')
        .split('inotify wd:').length - 1;

    it('begin with its second look, and end with it', async () => {
      const before = count();
      const workspace = await temporaryWorkspace();
      await writeFiles(workspace, tea);
      const { detent } = await scripted([{ text: 'a' }, { text: 'b' }], {
        workspace,
        env: { DETENT_HOME: workspace },
        skills: { bundled: false },
      });
      await detent.run('hello').result;
      expect(count()).toBe(before);
      await new Promise((resolve) => setTimeout(resolve, rest + 50));
      await detent.run('hello').result;
      expect(count()).toBe(before + 2);
      await detent.close();
      expect(count()).toBe(before);
    });
  });
});
