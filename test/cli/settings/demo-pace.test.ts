import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { loadOptions } from '../../../src/cli/settings/load-options.ts';
import { createIo } from '../../../src/cli/terminal/io.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { hostHere } from '../../support/run-here.ts';

it.each([
  [true, 10],
  [false, undefined],
])(
  'the demo streams its answer where a person sees it, and its tour everywhere: terminal %s',
  async (isTTY, pieceDelayMs) => {
    const cwd = await temporaryWorkspace();
    const stdout = Object.assign(new PassThrough(), { isTTY });
    const io = createIo(hostHere({ env: { DETENT_TRUST: '1', DETENT_HOME: cwd }, cwd, stdout }));
    const options = await loadOptions({}, io);
    expect(options.demoPieceDelayMs).toBe(pieceDelayMs);
    expect(options.demoTourDelayMs).toBe(10);
  },
);
