import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FolderWatch } from '../../../src/text/files/folder-watch.ts';

function watched(maxWatchers?: number) {
  const root = mkdtempSync(join(tmpdir(), 'detent-watch-'));
  const path = join(root, 'notes');
  mkdirSync(path);
  const changed = vi.fn();
  const watch = new FolderWatch(changed, maxWatchers);
  onTestFinished(() => watch.close());
  const hears = () => vi.waitFor(() => expect(changed).toHaveBeenCalled(), { timeout: 60_000 });
  return { root, path, changed, watch, hears };
}

describe('a watch of folders', () => {
  it('tells of a file that is new in one of them', async () => {
    const { path, watch, hears } = watched();
    await watch.follow([{ path }]);
    writeFileSync(join(path, 'a.md'), 'a');
    await hears();
  });

  it('can follow a folder again that was removed and made anew', async () => {
    const { path, changed, watch, hears } = watched();
    await watch.follow([{ path }]);
    rmSync(path, { recursive: true });
    await hears();
    mkdirSync(path);
    await watch.follow([{ path }]);
    changed.mockClear();
    writeFileSync(join(path, 'a.md'), 'a');
    await hears();
  });

  it('has no more watchers than it may, and none once it is closed', async () => {
    const { root, path, watch } = watched(1);
    await watch.follow([{ path: root }, { path }]);
    expect([watch.has(root), watch.has(path)]).toEqual([true, false]);
    watch.close();
    await watch.follow([{ path }]);
    expect([watch.has(root), watch.has(path)]).toEqual([false, false]);
  });
});
