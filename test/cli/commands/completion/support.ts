import { mkdir } from 'node:fs/promises';
import { beforeAll, expect } from 'vitest';
import { newWorkspace, type Workspace } from '../../../support/cli.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** A workspace with runs, sessions, files and folders, and the script of each shell, for the tests of a file. */
export function filledWorkspace() {
  let workspace: Workspace;
  let runs: { runId: string; sessionId: string; status: string }[];
  beforeAll(async () => {
    workspace = await filled();
    runs = await workspace.withLibrary((detent) => detent.runs.list(), { readonly: true });
  });
  return {
    workspace: () => workspace,
    runOf: (session: string) => runs.find(({ sessionId }) => sessionId === session)?.runId ?? '',
  };
}

/** A workspace with a finished run, one that waits, sessions, files and folders; and the scripts, one for each shell. */
async function filled(): Promise<Workspace> {
  const workspace = await newWorkspace({ 'notes.txt': 'x', 'nothing.md': 'x' });
  await mkdir(workspace.path('my folder'));
  await workspace.withLibrary(async (detent) => {
    for (const session of ['holiday', 'cron:daily'])
      await detent.run('hello', { sessionId: session, model: 'demo/demo' }).result;
    await detent.run('write "x" to a.txt', { sessionId: 'a waiting one', model: 'demo/demo' }).result;
  });
  for (const shell of shells) {
    const { code, stdout, stderr } = await workspace.detent(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await workspace.write(`.detent/completion.${shell}`, stdout);
  }
  return workspace;
}
