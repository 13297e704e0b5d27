import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseSkill } from '../../src/skills/files/parse-skill.ts';

/** Two workspaces that differ in their skills alone. */
export interface Workspaces {
  without: string;
  with: string;
}

const name = /^name:.*$/m;

/**
 * Makes a workspace without skills and one with so many: copies of those in a folder, in turns, each under a name of its own.
 * What cannot be loaded is not copied.
 *
 * @param config of both
 */
export async function makeWorkspaces(
  folder: string,
  skills: string,
  count: number,
  config: object,
): Promise<Workspaces> {
  const sources = await loadable(skills);
  const [empty, full] = [join(folder, 'without'), join(folder, 'with')];
  await mkdir(join(empty, 'skills'), { recursive: true });
  for (let i = 0; i < count; i++) {
    const text = (sources[i % sources.length] ?? '').replace(name, `name: skill-${i}`);
    const home = join(full, 'skills', `skill-${i}`);
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'SKILL.md'), text);
  }
  for (const workspace of [empty, full])
    await writeFile(join(workspace, 'detent.config.json'), JSON.stringify(config));
  return { without: empty, with: full };
}

async function loadable(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((each) => each.name === 'SKILL.md')
    .map((each) => join(each.parentPath, each.name));
  const texts: string[] = [];
  for (const path of paths.sort()) {
    const text = await readFile(path, 'utf8');
    if (parseSkill(text, basename(dirname(path))).errors.length === 0) texts.push(text);
  }
  return texts;
}
