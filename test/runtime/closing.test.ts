import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { type DetentOptions, defineTool } from '../../src/index.ts';
import { Conversations } from '../../src/memory/conversations/conversations.ts';
import { IndexThread } from '../../src/memory/index/index-client.ts';
import { Memories } from '../../src/memory/memories.ts';
import { Runs } from '../../src/runs/runs.ts';
import { compose, type Decorators } from '../../src/runtime/compose.ts';
import { SkillLibrary } from '../../src/skills/library.ts';
import { McpConnection } from '../../src/tools/mcp/connection.ts';
import { BackgroundJobs } from '../../src/tools/sandbox/background-jobs.ts';
import { temporaryWorkspace, tool } from '../support/detent.ts';

afterEach(() => void vi.restoreAllMocks());

const boom = () => {
  throw new Error('boom');
};

/** With every part that holds something open. The server is never asked, so it is never started. */
async function everything(over: DetentOptions = {}): Promise<DetentOptions & { workspace: string }> {
  const workspace = await temporaryWorkspace();
  return {
    workspace,
    env: {},
    log: { level: 'info', file: 'detent.log' },
    mcp: { servers: { notes: { command: 'no-such-program' } } },
    ...over,
  };
}

/** The names of parts in the order in which they are closed from now on. */
function closings(): string[] {
  const closed: string[] = [];
  const watch = (name: string, part: object, method: string) => {
    const original = (part as Record<string, (this: unknown) => unknown>)[method];
    vi.spyOn(part as Record<string, () => unknown>, method).mockImplementation(function (this: unknown) {
      closed.push(name);
      return original?.call(this);
    });
  };
  watch('engine', Engine.prototype, 'stop');
  watch('runs', Runs.prototype, 'stop');
  watch('memory', Memories.prototype, 'close');
  watch('conversations', Conversations.prototype, 'close');
  watch('index thread', IndexThread.prototype, 'close');
  watch('skills', SkillLibrary.prototype, 'close');
  watch('background jobs', BackgroundJobs.prototype, 'close');
  watch('mcp', McpConnection.prototype, 'close');
  return closed;
}

/** Files of the workspace that this process holds open (Linux). */
function openFiles(workspace: string): string[] {
  const folder = '/proc/self/fd';
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((fd) => {
    try {
      const file = readlinkSync(join(folder, fd));
      return file.startsWith(workspace) ? [file] : [];
    } catch {
      // The descriptor of this listing is closed by now.
      return [];
    }
  });
}

async function expectFree(options: DetentOptions & { workspace: string }): Promise<void> {
  expect(openFiles(options.workspace)).toEqual([]);
  const drivers = join(options.workspace, '.detent', 'drivers');
  expect(existsSync(drivers) ? readdirSync(drivers) : []).toEqual([]);
}

describe('closing', () => {
  it('goes in reverse order, the store last', async () => {
    const options = await everything();
    const core = await compose(options);
    if (existsSync('/proc/self/fd')) expect(openFiles(options.workspace)).not.toEqual([]);
    const closed = closings();
    await core.close();
    expect(closed).toEqual([
      'engine',
      'runs',
      'memory',
      'conversations',
      'index thread',
      'skills',
      'background jobs',
      'mcp',
    ]);
    await expectFree(options);
  });

  it('closes all other parts when one cannot be closed, and says so', async () => {
    const options = await everything();
    const core = await compose(options);
    core.memory.close = boom;
    const closed = closings();
    await expect(core.close()).rejects.toThrow('boom');
    expect(closed).toEqual(['engine', 'runs', 'skills', 'background jobs', 'mcp']);
    await expectFree(options);
  });
});

describe('a part that cannot be opened', () => {
  it('has the parts before it closed: tools', async () => {
    const twice = [tool('same'), tool('same')];
    const options = await everything({ tools: { define: twice } });
    const closed = closings();
    await expect(compose(options)).rejects.toMatchObject({ code: 'DUPLICATE_TOOL' });
    expect(closed).toEqual(['memory', 'conversations', 'index thread', 'skills', 'background jobs', 'mcp']);
    await expectFree(options);
  });

  it('has the parts before it closed: the engine', async () => {
    const options = await everything();
    await expect(compose(options, { host: boom })).rejects.toThrow('boom');
    await expectFree(options);
  });

  it('has what it has opened itself closed: the store', async () => {
    const options = await everything();
    await (await compose(options)).close();
    const file = join(options.workspace, '.detent', 'detent.db');
    const db = new Sqlite(file);
    db.exec('ALTER TABLE places RENAME TO elsewhere');
    await expect(compose(options)).rejects.toThrow(/places/);
    db.exec('ALTER TABLE elsewhere RENAME TO places');
    db.close();
    await expectFree(options);
  });

  it('is what is thrown, and what could not be closed is reported', async () => {
    const reported: unknown[] = [];
    const options = await everything({ onError: (error) => reported.push(error) });
    const store: Decorators['store'] = (opened) => {
      const close = opened.close.bind(opened);
      opened.close = async () => {
        await close();
        throw new Error('will not close');
      };
      return opened;
    };
    await expect(compose(options, { store, host: boom })).rejects.toThrow('boom');
    expect(reported).toMatchObject([{ message: 'will not close' }]);
    await expectFree(options);
  });
});

describe('a Detent that nothing was asked of', () => {
  it('opens no file and no thread', async () => {
    const options = await everything({ tools: { define: [defineTool(bare)] } });
    const closed = closings();
    const { createDetent } = await import('../../src/runtime/create-detent.ts');
    await createDetent(options).close();
    expect(closed).toEqual([]);
    expect(readdirSync(options.workspace)).toEqual([]);
  });
});

const bare = {
  name: 'look',
  description: '',
  jsonSchema: { type: 'object' },
  sideEffect: 'readonly',
  run: () => 1,
} as const;
