import { describe, expect, it } from 'vitest';
import {
  checkSandbox,
  checkUser,
  describeSandbox,
} from '../../../../src/cli/commands/doctor/sandbox-checks.ts';
import { bareWorkspace } from '../../../support/cli.ts';
import { describeSandboxed } from '../../../tools/sandbox/support.ts';

const works = { works: true, program: '/usr/bin/bwrap' } as const;

describe('what the doctor says of the sandbox', () => {
  it('is its name, version and place', () => {
    expect(describeSandbox(works, '0.8.0', true)).toMatchObject({
      id: 'sandbox',
      status: 'ok',
      detail: 'bubblewrap 0.8.0, /usr/bin/bwrap',
    });
  });

  it('is how to get one where there is none', () => {
    const missing = {
      works: false,
      program: null,
      reason: 'it is not installed',
      remedy: 'install it',
    } as const;
    expect(describeSandbox(missing, null, true)).toMatchObject({
      status: 'warn',
      detail: 'it is not installed; there is no shell tool',
      remedy: 'install it',
    });
  });

  it('is a warning where a bound is missing, or all of it is', async () => {
    expect(describeSandbox(works, '0.8.0', false)).toMatchObject({ status: 'warn' });
    expect(await checkSandbox('none')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('all rights'),
    });
  });

  it('goes with a warning for root', () => {
    expect(checkUser(0)).toMatchObject({ id: 'user', status: 'warn' });
    expect(checkUser(1000)).toMatchObject({ status: 'ok' });
    expect(checkUser(undefined)).toMatchObject({ status: 'ok' });
  });
});

describeSandboxed('detent doctor', () => {
  it('tries the sandbox that is configured', async () => {
    const workspace = await bareWorkspace();
    const { stdout } = await workspace.detent(['doctor']);
    expect(stdout).toMatch(/^ok {4}Sandbox +bubblewrap \d+\.\d+\.\d+, \/.*bwrap$/m);
    const none = await workspace.detent(['doctor'], { env: { DETENT_SANDBOX: 'none' } });
    expect(none.stdout).toMatch(
      /^warn {2}Sandbox +none: commands of the shell have all rights of this user$/m,
    );
  });
});
