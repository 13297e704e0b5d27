import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { loadOptions } from '../../../src/cli/settings/load-options.ts';
import { createIo } from '../../../src/cli/terminal/io.ts';
import { temporaryWorkspace } from '../../support/detent.ts';

it.each([
  [true, 10],
  [false, undefined],
])(
  'the demo streams its answer where a person sees it, and its tour everywhere: terminal %s',
  async (isTTY, pieceDelayMs) => {
    const cwd = await temporaryWorkspace();
    const io = createIo({
      env: { DETENT_TRUST: '1', DETENT_HOME: cwd },
      cwd,
      stdin: new PassThrough(),
      hasData: false,
      isOneStream: false,
      stdout: Object.assign(new PassThrough(), { isTTY }),
      stderr: new PassThrough(),
      onInterrupt: () => () => {},
      onTerminate: () => () => {},
      dropUnwritten: () => {},
      leave: () => {
        throw new Error('left');
      },
    });
    const options = await loadOptions({}, io);
    expect(options.demoPieceDelayMs).toBe(pieceDelayMs);
    expect(options.demoTourDelayMs).toBe(10);
  },
);
