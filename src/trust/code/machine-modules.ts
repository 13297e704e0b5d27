import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSource, ownFile } from '../../text/files.ts';

/** The folder of a workspace whose modules Detent loads as workflows. */
export const machinesFolder = 'machines';

const isMachine = /\.machine\.m?[jt]s$/;

/** A file at the top of `machines/` with the name of a machine's module. */
export interface MachineModule {
  path: string;
  /** False for a link, a folder and a named pipe, which are not loaded. */
  isRegular: boolean;
}

/** The modules of a workspace's machines, by their names. Not those of this program, in whose repository a person works. */
export function machineModules(workspace: string): MachineModule[] {
  const folder = join(workspace, machinesFolder);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => isMachine.test(name))
    .map((entry) => ({ path: join(folder, entry.name), isRegular: entry.isFile() }))
    .filter(({ path, isRegular }) => !isRegular || !isProgram(realpathSync(path)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether a file is part of this program: what a workspace in its repository imports from there needs no hash. */
export function isProgram(path: string): boolean {
  const folders = isSource ? ['src/', 'machines/'] : ['dist/'];
  return folders.some((name) => path.startsWith(fileURLToPath(ownFile(name))));
}
