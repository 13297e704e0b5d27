import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { DetentError } from '../../../protocol/error.ts';
import { type Flags, text, usage, word } from '../../settings/flags.ts';
import { workspaceOf } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

const validName = /^[\p{Ll}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lo}\p{N}]+)*$/u;
const defaultAbout =
  'What it does, in one sentence. Use when the user asks for that, in the words of the user.';

/** `detent skills new NAME`: creates a folder with a `SKILL.md` to fill in. */
export async function newSkill(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'NAME');
  if (!validName.test(name) || Array.from(name).length > 64)
    throw usage(`a skill is called by lower-case letters, digits and single hyphens, not "${name}"`);
  const about = text(flags, 'description')?.replaceAll(/\s+/g, ' ').trim() || defaultAbout;
  if (Array.from(about).length > 1_024) throw usage('--description has at most 1,024 characters');
  const workspace = workspaceOf(flags, io.cwd);
  const folder = join(io.path(text(flags, 'in') ?? join(workspace, 'skills')), name);
  const path = join(folder, 'SKILL.md');
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(path, template(name, about), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new DetentError('SKILL_EXISTS', `there is ${path} already; change it, or choose another name`);
  }
  if (flags.json) io.json({ name, path });
  else
    io.out(
      `created ${relative(io.cwd, path)}: fill it in, then check it with: detent skills validate ${relative(io.cwd, folder) || '.'}\n`,
    );
  return exit.ok;
}

function template(name: string, about: string): string {
  return `---
name: ${name}
description: ${JSON.stringify(about)}
---

# ${title(name)}

What is to come of it.

What it is for this time: $ARGUMENTS

## How to go about it

1. The first step, and how to know that it is done.

## Checklist

- What must be true at the end
`;
}

function title(name: string): string {
  const words = name.replaceAll('-', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
