import { link, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDetent } from '../../../src/index.ts';
import { holdInProcess } from '../../../src/store/sql/place.ts';
import { holdDatabase, openDatabases } from '../../../src/text/files/open-databases.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { temporaryFile } from '../support.ts';

/** What another copy of the package, in another `node_modules`, has in the list that all copies share. */
function anotherCopy(file: string): void {
  const held = holdDatabase(file, '/elsewhere/node_modules/better-sqlite3/lib/index.js');
  onTestFinished(held.close);
}

const refused = {
  code: 'DATABASE_SECOND_COPY',
  message: expect.stringContaining('npm ls detent better-sqlite3'),
  details: { libraries: expect.arrayContaining(['/elsewhere/node_modules/better-sqlite3/lib/index.js']) },
};

describe('a database that another copy of Detent has open in this process', () => {
  it.each([false, true])('is refused before a file is opened (readonly: %s)', async (readonly) => {
    const workspace = await temporaryWorkspace();
    anotherCopy(join(workspace, '.detent', 'detent.db'));
    const detent = createDetent({ workspace, readonly, env: {} });
    await expect(detent.runs.list()).rejects.toMatchObject(refused);
    await detent.close();
  });

  it('is refused by every name', async () => {
    const file = await temporaryFile();
    const detent = createDetent({ workspace: dirname(file), database: { file }, env: {} });
    await detent.runs.list();
    await detent.close();
    anotherCopy(file);
    await link(file, `${file}-hard`);
    await mkdir(join(dirname(file), 'in'));
    await symlink(file, join(dirname(file), 'in', 'soft'));
    for (const name of [file, `${file}-hard`, join(dirname(file), 'in', 'soft')])
      expect(() => holdInProcess(name), name).toThrow(expect.objectContaining({ code: refused.code }));
  });
});

describe('the list of open databases', () => {
  it('has a database for as long as a Detent has it open', async () => {
    const workspace = await temporaryWorkspace();
    const path = join(workspace, '.detent', 'detent.db');
    const isOpen = () => [...openDatabases()].some((held) => held.path === path && held.inodes.size > 0);
    const detent = createDetent({ workspace, env: {} });
    await detent.runs.list();
    expect(isOpen()).toBe(true);
    await detent.close();
    expect(isOpen()).toBe(false);
  });

  it('lets the same copy open a database again', async () => {
    const file = await temporaryFile();
    const [first, second] = [holdInProcess(file), holdInProcess(file)];
    first.close();
    second.close();
  });

  it('does not keep a database that could not be opened', async () => {
    const workspace = await temporaryWorkspace();
    const before = openDatabases().size;
    const detent = createDetent({ workspace, readonly: true, env: {} });
    await expect(detent.runs.list()).rejects.toMatchObject({ code: 'DATABASE_UNUSABLE' });
    expect(openDatabases().size).toBe(before);
    await detent.close();
  });
});
