import { expect, it } from 'vitest';
import { stepOf } from '../../../src/runs/history/why/finding.ts';

it.each([
  ['detent runs resume run_1', { does: 'goOn', runId: 'run_1' }],
  ['detent runs fork run_1 --at 4', { does: 'fork', runId: 'run_1', at: 4 }],
  ['detent runs why run_1.c2', { does: 'look', runId: 'run_1.c2' }],
  ['detent run --session tea --model demo/echo "go on"', { does: 'say', prompt: 'go on' }],
  ['detent run --session tea "WHAT TO DO INSTEAD"', { does: 'write' }],
  ['detent runs confirm run_1 c2 --approve', { does: 'decide', runId: 'run_1' }],
  ['detent runs confirm run_1 c2 --answer TEXT', { does: 'answer', runId: 'run_1' }],
  ['detent runs reconcile run_1 c2 --ran', { does: 'decide', runId: 'run_1' }],
  ['detent workflow answer run_1 colour --answer TEXT', { does: 'answer', runId: 'run_1' }],
  ['detent workflow send run_1 parcel.sent', { does: 'send', runId: 'run_1', type: 'parcel.sent' }],
])('reads what the page can do of %s', (command, step) => {
  expect(stepOf(command)).toEqual(step);
});

it.each([
  'detent runs fork run_1 --at 4 --model other/model',
  'detent run --session tea --max-steps 90 "go on"',
  'detent runs cancel run_1',
  'detent usage',
  'detent workflow send run_1 EVENT',
])('leaves %s to the terminal', (command) => {
  expect(stepOf(command)).toBeNull();
});
