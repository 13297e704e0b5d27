import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DetentError } from '../../protocol/error.ts';

/** The person's editor, from the environment; null without one. */
export function editorOf(env: Readonly<Record<string, string | undefined>>): string | null {
  return env.VISUAL || env.EDITOR || null;
}

/**
 * Lets a person change a text in their editor, in a file that only they can read and that is gone afterwards.
 *
 * @param editor a command with its options, as a shell reads it.
 * @throws DetentError `EDITOR_FAILED` when the editor cannot be started or says that it failed.
 */
export async function editText(editor: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-edit-'));
  const file = join(folder, 'arguments.json');
  try {
    await writeFile(file, `${text}\n`, { mode: 0o600 });
    await edit(editor, file);
    return (await readFile(file, 'utf8')).replace(/\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function edit(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (why: string) =>
      reject(new DetentError('EDITOR_FAILED', `the editor "${editor}" ${why}; nothing was changed`));
    const { DATABASE_URL: _, ...env } = process.env;
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env });
    child.once('error', ({ message }) => failed(`did not start: ${message}`));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else failed(signal ? `was ended by ${signal}` : `ended with ${code}`);
    });
  });
}
