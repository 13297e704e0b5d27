import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bareWorkspace, type CliOptions, type Workspace } from '../../support/cli.ts';

/** No command trusts anything by itself. */
export const strict = { DETENT_TRUST: '' };

/** A workspace that nobody has agreed to, with these files, also in folders. */
export async function foreignFolder(files: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const workspace = await bareWorkspace({}, { env: strict });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(workspace.path(name)), { recursive: true });
    await writeFile(workspace.path(name), content);
  }
  return workspace;
}

/** Runs a command on a terminal, answers its question; returns what a person saw, and the exit code. */
export async function answer(
  workspace: Workspace,
  args: readonly string[],
  reply: string,
  options: CliOptions = {},
) {
  const live = workspace.onTerminal(args, {
    size: { columns: 200, rows: 60 },
    ...options,
    env: { ...strict, ...options.env },
  });
  const asked = await live.saw('stdout', /\[y\/N\]/);
  live.write(reply);
  const { code, stdout } = await live.ended;
  return { code, asked, stdout };
}

/** A person agrees to the folder. */
export async function agree(workspace: Workspace, options: CliOptions = {}): Promise<string> {
  const { code, asked, stdout } = await answer(workspace, ['trust'], 'y\r', options);
  if (code !== 0) throw new Error(`the folder is not trusted: ${stdout}`);
  return asked;
}
