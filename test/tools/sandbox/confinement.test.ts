import { chmod, mkdir, readdir, readFile, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../helpers.ts';
import { describeSandboxed, run } from './support.ts';

const secret = 'the secret of the house';

/** A workspace beside a folder with a secret. */
async function neighbours() {
  const folder = await temporaryFolder();
  const workspace = join(folder, 'workspace');
  const outside = join(folder, 'outside');
  await mkdir(workspace);
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), secret);
  return { workspace, outside };
}

describeSandboxed('a command in the sandbox', () => {
  it('works in the workspace, under its own path, and its files belong to whom the workspace belongs to', async () => {
    const { workspace } = await neighbours();
    await writeFile(join(workspace, 'in'), 'milk\n');
    const { code, text } = await run('pwd; cat in; echo eggs > out; mkdir sub; echo x > sub/x', {
      workspace,
    });
    expect({ code, text }).toEqual({ code: 0, text: `${workspace}\nmilk\n` });
    expect(await readFile(join(workspace, 'out'), 'utf8')).toBe('eggs\n');
    const [made, own] = await Promise.all([stat(join(workspace, 'out')), stat(workspace)]);
    expect([made.uid, made.gid]).toEqual([own.uid, own.gid]);
  });

  it('keeps the owner when root works for another user', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can');
    const { workspace } = await neighbours();
    await chmod(dirname(workspace), 0o755);
    await (await import('node:fs/promises')).chown(workspace, 65_534, 65_534);
    expect(await run('echo x > out; id -u', { workspace })).toMatchObject({ code: 0, text: '1000\n' });
    expect((await stat(join(workspace, 'out'))).uid).toBe(65_534);
  });

  it('sees nothing of another workspace, nor of its own parent folder', async () => {
    const { workspace, outside } = await neighbours();
    const { text } = await run(`cat ${outside}/secret; ls ${dirname(outside)}; ls ..`, { workspace });
    expect(text).not.toContain(secret);
    expect(text.split('\n').filter((line) => line === 'outside')).toEqual([]);
  });

  it('cannot read /etc/shadow, homes, or anything else beside the system', async () => {
    const { workspace } = await neighbours();
    const places = ['/etc/shadow', '/etc/hosts', '/root', '/home', '/var', '/srv', '/run', '/sys', homedir()];
    for (const place of places) {
      const { code, text } = await run(`ls -a ${place} && cat ${place}`, { workspace });
      expect({ place, code, text }).toMatchObject({ code: expect.not.toSatisfy((n) => n === 0) });
    }
    expect((await run('cat /etc/passwd; ls -a /tmp', { workspace })).text).toMatch(
      /^sandbox:x:1000:.*\n\.\n/,
    );
  });

  it('cannot write outside of the workspace and /tmp', async () => {
    const { workspace, outside } = await neighbours();
    const places = [outside, '/', '/usr', '/usr/bin', '/etc', '/bin', '/lib', '/dev', '/proc/sys/kernel'];
    for (const place of places)
      expect({ place, ...(await run(`echo x > ${place}/planted`, { workspace })) }).not.toMatchObject({
        code: 0,
      });
    expect(await readdir(outside)).toEqual(['secret']);
    expect(await run('echo x > /tmp/mine && cat /tmp/mine', { workspace })).toMatchObject({ text: 'x\n' });
    expect((await run('ls -A /tmp', { workspace })).text).not.toContain('mine');
  });

  it('cannot change the kernel, nor the devices, of a machine that root lends it', async () => {
    const { workspace } = await neighbours();
    const settings = [
      '/proc/sys/kernel/core_pattern',
      '/proc/sys/kernel/hostname',
      '/proc/sys/vm/overcommit_memory',
    ];
    for (const file of settings) {
      const before = await readFile(file, 'utf8');
      // What was there before: even where this works it does no harm.
      const { code } = await run(`cat ${file} > v; cat v > ${file}`, { workspace });
      expect({ file, code }).toEqual({ file, code: 1 });
      expect(await readFile(file, 'utf8')).toBe(before);
    }
    const mode = (await stat('/dev/null')).mode;
    for (const file of ['/dev/null', '/dev/zero', '/proc/self/fd/0'])
      expect((await run(`chmod 666 ${file}`, { workspace })).text, file).toMatch(/Read-only|not permitted/);
    expect((await stat('/dev/null')).mode).toBe(mode);
    expect(await run('echo x > /dev/null && head -c 8 /dev/urandom | wc -c', { workspace })).toMatchObject({
      text: '8\n',
    });
  });

  it('neither reads nor writes the database and what else is in .detent', async () => {
    const { workspace } = await neighbours();
    await mkdir(join(workspace, '.detent'));
    await writeFile(join(workspace, '.detent/detent.db'), secret);
    const attempts = [
      'cat .detent/detent.db',
      'ls -A .detent | grep .',
      'echo x > .detent/detent.db',
      'echo x > .detent/planted',
      'rm -rf .detent',
      'mv .detent other',
      'rmdir .detent',
      'chmod 777 .detent && echo x > .detent/x',
      'ln .detent/detent.db link',
      'cat .DETENT/detent.db',
      'grep -r secret . --include=detent.db',
    ];
    for (const attempt of attempts) {
      const { code, text } = await run(attempt, { workspace });
      expect({ attempt, isWell: code === 0, leaked: text.includes(secret) }).toEqual({
        attempt,
        isWell: false,
        leaked: false,
      });
    }
    expect(await readdir(join(workspace, '.detent'))).toEqual(['detent.db']);
    expect(await readFile(join(workspace, '.detent/detent.db'), 'utf8')).toBe(secret);
  });

  it('finds .detent empty and closed before Detent has made one', async () => {
    const { workspace } = await neighbours();
    expect((await run('echo x > .detent/detent.db', { workspace })).code).not.toBe(0);
    expect(await readdir(join(workspace, '.detent'))).toEqual([]);
  });

  it('does not start where .detent is a link, which could be replaced', async () => {
    const { workspace, outside } = await neighbours();
    await symlink(outside, join(workspace, '.detent'));
    await expect(run('true', { workspace })).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  });

  it('cannot open a database that lies elsewhere in the workspace, nor change the configuration', async () => {
    const { workspace } = await neighbours();
    const hidden = ['data.db', 'data.db-wal', 'data.db-shm'].map((name) => join(workspace, name));
    await writeFile(join(workspace, 'data.db'), secret);
    await writeFile(join(workspace, 'detent.config.ts'), 'export default {};');
    const attempts = [
      'cat data.db',
      'echo x > data.db',
      'rm -f data.db',
      'mv data.db other',
      'echo x > detent.config.ts',
      'rm -f detent.config.ts',
      'mv detent.config.ts other',
    ];
    for (const attempt of attempts) {
      const { code, text } = await run(attempt, { workspace, hidden });
      expect({ attempt, isWell: code === 0, leaked: text.includes(secret) }).toEqual({
        attempt,
        isWell: false,
        leaked: false,
      });
    }
    expect(await readFile(join(workspace, 'data.db'), 'utf8')).toBe(secret);
    expect(await readFile(join(workspace, 'detent.config.ts'), 'utf8')).toBe('export default {};');
  });

  it.each([
    ['a link to a file', 'secret'],
    ['a link to a folder', '.'],
  ])('does not get out by %s', async (_, target) => {
    const { workspace, outside } = await neighbours();
    await symlink(join(outside, target), join(workspace, 'way'));
    const { text } = await run('cat way; cat way/secret; echo x > way; echo x > way/planted', { workspace });
    expect(text).not.toContain(secret);
    expect(await readdir(outside)).toEqual(['secret']);
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe(secret);
  });

  it('does not get out by a link that it makes itself, nor by ".."', async () => {
    const { workspace, outside } = await neighbours();
    const up = '../'.repeat(20);
    const attempt = `ln -s ${outside} way; cat way/secret ${up}${outside}/secret ../outside/secret /proc/1/root${outside}/secret /proc/1/cwd${outside}/secret`;
    expect((await run(attempt, { workspace })).text).not.toContain(secret);
  });

  it('reaches no network, not even this machine', async () => {
    const { workspace } = await neighbours();
    let calls = 0;
    const server = createServer((socket) => {
      calls += 1;
      socket.end('hello');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    for (const address of [`127.0.0.1/${port}`, `localhost/${port}`, '192.0.2.1/80'])
      expect((await run(`echo x > /dev/tcp/${address}`, { workspace, timeoutMs: 20_000 })).code).toBe(1);
    expect(calls).toBe(0);
  });

  it('gets nothing of the environment of this process', async () => {
    process.env.DETENT_TEST_CANARY = secret;
    onTestFinished(() => void delete process.env.DETENT_TEST_CANARY);
    const { workspace } = await neighbours();
    const { text } = await run(`env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'`, { workspace });
    expect(text).not.toContain(secret);
    const names = (await run('env -0 | cut -z -d= -f1 | tr "\\0" "\\n" | sort', { workspace })).text
      .trim()
      .split('\n');
    expect(names).toEqual(['HOME', 'LANG', 'PATH', 'PWD', 'SHLVL', 'TERM', 'TMPDIR', 'USER', '_']);
  });

  it('has no capability and gains none by setuid programs or new user namespaces', async () => {
    const { workspace } = await neighbours();
    const { text } = await run('grep -E "^Cap(Prm|Eff|Bnd)|NoNewPrivs" /proc/self/status', { workspace });
    expect(text.match(/\t0{16}$/gm)).toHaveLength(3);
    expect(text).toMatch(/NoNewPrivs:\t1/);
    const attempts = [
      'unshare --user --map-root-user id -u',
      'mount -t tmpfs none /tmp',
      'cp /bin/bash own && chmod 4755 own && ./own -pc "test $(id -u) = 0"',
      'mknod disk b 8 0',
      'chroot / true',
    ];
    for (const attempt of attempts)
      expect({ attempt, ...(await run(attempt, { workspace })) }).not.toMatchObject({ code: 0 });
  });

  it('sees no process but its own', async () => {
    const { workspace } = await neighbours();
    const { text } = await run(`ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid}`, { workspace });
    expect(Number.parseInt(text, 10)).toBeLessThan(10);
    expect(text).toContain('No such process');
  });

  it.each(['/', '/etc', '/usr', '/dev'])('does not start in %s', async (workspace) => {
    await expect(run('true', { workspace })).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  });

  it('works where the workspace is reached by a link, under its real path', async () => {
    const { workspace } = await neighbours();
    const link = join(dirname(workspace), 'link');
    await symlink(workspace, link);
    expect((await run('pwd', { workspace: link })).text).toBe(`${await realpath(workspace)}\n`);
  });
});
