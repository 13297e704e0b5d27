import { chmodSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChatHistory } from '../../src/cli/commands/chat/history.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { Approvals } from '../../src/skills/files/approvals.ts';

let workspace: string;
let umask: number;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'detent-private-'));
  umask = process.umask(0);
});
afterEach(() => void process.umask(umask));

/** What others could open, of everything in a folder and of the folder itself: `mode path`. */
function open(folder: string): string[] {
  return [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))]
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
    .map((path) => `${(statSync(path).mode & 0o777).toString(8)} ${path}`);
}

/** A run, its log, memory and both search indexes, for two tenants; looked at before it is closed. */
async function useAll(database: { file?: string } = {}): Promise<string[]> {
  const detent = createDetent({
    workspace,
    env: {},
    database,
    log: { level: 'info', file: '.detent/detent.log' },
    policy: { approve: 'all' },
  });
  try {
    if (!(await detent.tenants.find('other'))) await detent.tenants.create({ name: 'other' });
    for (const tenantId of [1, 2]) {
      const principal = { tenantId };
      await detent.run('remember that the office opens at 9', { principal, sessionId: 'a' }).result;
      await detent.memory.write(['The office opens at 9'], { tenantId });
      await detent.memory.search('office', { tenantId });
      await detent.sessions.search('office', { tenantId });
    }
    new ChatHistory(workspace, (text) => text).add('hello');
    return readdirSync(join(workspace, '.detent'), { recursive: true }).map(String);
  } finally {
    await detent.close();
  }
}

describe('what Detent keeps in a workspace', () => {
  it('is open to its owner alone while it is used and afterwards, whatever the umask', async () => {
    const files = await useAll();
    for (const name of ['detent.db', 'detent.db-wal', 'drivers', 'detent.log', 'memory.db', 'chat-history'])
      expect(files).toContain(name);
    expect(files.filter((name) => name.includes('search-')).length).toBeGreaterThan(0);
    expect(open(join(workspace, '.detent'))).toEqual([]);
  });

  it('becomes so when it was open', async () => {
    await useAll();
    for (const name of ['', ...readdirSync(join(workspace, '.detent'), { recursive: true }).map(String)]) {
      const path = join(workspace, '.detent', name);
      chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
    }
    expect(open(join(workspace, '.detent')).length).toBeGreaterThan(8);
    await useAll();
    expect(open(join(workspace, '.detent'))).toEqual([]);
  });

  it('is private in a folder of the user, which stays as it is', async () => {
    mkdirSync(join(workspace, 'data'), { mode: 0o755 });
    await useAll({ file: 'data/agents.db' });
    expect(readdirSync(join(workspace, 'data'))).toContain('drivers');
    expect(open(join(workspace, 'data'))).toEqual([`755 ${join(workspace, 'data')}`]);
  });
});

describe("the user's settings", () => {
  it('are private', async () => {
    const home = join(workspace, 'home');
    mkdirSync(home, { mode: 0o755 });
    writeFileSync(join(home, 'skills-approved.json'), '{}', { mode: 0o644 });
    await new Approvals(home).add('greet', 'abc');
    expect(open(home)).toEqual([]);
  });
});
