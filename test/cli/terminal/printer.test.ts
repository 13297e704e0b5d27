import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createIo } from '../../../src/cli/terminal/io.ts';
import { RunPrinter } from '../../../src/cli/terminal/printer.ts';
import { hostHere } from '../../support/run-here.ts';

it.each([
  ['one stream', true, 'Calling datetime.\n· using datetime\nThe answer'],
  ['two', false, 'Calling datetime.· using datetime\nThe answer'],
])('progress begins on a new line where stdout and stderr are %s', (_, isOneStream, expected) => {
  const written = new PassThrough({ encoding: 'utf8' });
  const io = createIo(hostHere({ env: {}, cwd: '/', isOneStream, stdout: written, stderr: written }));
  const printer = new RunPrinter({ format: 'text', quiet: false }, io);
  const words = (text: string, effectId: number) =>
    ({ type: 'delta', effectId, delta: { type: 'text', text } }) as const;
  printer.signal({ runId: 'run_x', ...words('Calling datetime.', 1) });
  printer.signal({ runId: 'run_x', type: 'progress', message: 'using datetime' });
  printer.signal({ runId: 'run_x', ...words('The answer', 1) });
  expect(written.read()).toBe(expected);
});
