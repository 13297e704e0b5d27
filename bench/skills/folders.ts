import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseSkill } from '../../src/skills/parse-skill.ts';
import { simpleFrontmatter } from '../../src/skills/simple-frontmatter.ts';
import { splitSkill } from '../../src/skills/split-skill.ts';

/** Two workspaces that differ in their skills alone. */
export interface Workspaces {
  without: string;
  with: string;
  /** How many of its skills need the YAML library; the others are read without. */
  needYaml: number;
}

const name = /^name:.*$/m;
/** Of the fixtures none needs it; of the skills that people write some do. */
const yamlEvery = 10;
const needsYaml = 'x-made: { by: the bench }';

/**
 * Makes a workspace without skills and one with so many: copies of those in a folder, in turns, each under a name of its own,
 * some with a field that the YAML library must read. What cannot be loaded is not copied.
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
  let needYaml = 0;
  for (let i = 0; i < count; i++) {
    const lines = i % yamlEvery === 0 ? `name: skill-${i}\n${needsYaml}` : `name: skill-${i}`;
    const text = (sources[i % sources.length] ?? '').replace(name, lines);
    const home = join(full, 'skills', `skill-${i}`);
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'SKILL.md'), text);
    if (simpleFrontmatter(splitSkill(text).frontmatter ?? '') === null) needYaml++;
  }
  for (const workspace of [empty, full])
    await writeFile(join(workspace, 'detent.config.json'), JSON.stringify(config));
  return { without: empty, with: full, needYaml };
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
