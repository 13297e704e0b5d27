import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { describeDeep } from '../support/deep.ts';
import { checkConformance, type Report } from './support/conformance/run.ts';
import { tableOf } from './support/conformance/table.ts';
import { allRecordings, wires } from './support/recordings.ts';

const recordings = allRecordings();

describe('the conformance table', () => {
  const report = checkConformance({ recordings, cuts: 1, byteByByte: false });

  it('has every recording, on all three wires, and nothing that fails', () => {
    expect(report.failures).toEqual([]);
    expect(Object.keys(report.wires).sort()).toEqual([...wires].sort());
    const strict = Object.values(report.wires).reduce((sum, { total }) => sum + total, 0);
    expect(strict + report.unruly.total).toBe(162);
    expect(report.readings).toEqual({ passed: 324, total: 324 });
    expect(report.wholeAnswers.total).toBe(33);
    expect(Object.values(report.httpErrors).reduce((sum, { total }) => sum + total, 0)).toBe(17);
    expect(report.sseVectors.total).toBe(54);
  });

  it('has a row for every provider and a line for every wire', () => {
    const table = tableOf(report);
    for (const provider of new Set(recordings.map(({ provider }) => provider)))
      expect(table).toMatch(new RegExp(`^${provider} +\\d+/\\d+`, 'm'));
    for (const wire of wires) expect(table).toMatch(new RegExp(`^${wire} +\\d+/\\d+$`, 'm'));
    expect(table).not.toContain('FAILED');
  });

  it('shows what is wrong, and where', () => {
    const [first, ...others] = recordings.filter(({ expected }) => expected.toolCalls.length > 0);
    if (!first) throw new Error('no recording calls a tool');
    const spoilt = { ...first, expected: { ...first.expected, toolCalls: [] } } as typeof first;
    const wrong = checkConformance({
      recordings: [spoilt, ...others.slice(0, 10)],
      cuts: 0,
      byteByByte: false,
    });
    expect(wrong.failures).toMatchObject([{ id: first.id, cut: 'whole', isStrict: true }]);
    expect(wrong.failures[0]?.differences.map(({ field }) => field)).toEqual(['toolCalls']);
    expect(wrong.providers[first.provider]?.all?.passed).toBeLessThan(
      wrong.providers[first.provider]?.all?.total ?? 0,
    );
    expect(tableOf(wrong)).toContain(`FAILED ${first.id} (whole)`);
  });

  describeDeep('the script', () => {
    it('is printed by the script, which ends well', () => {
      const script = new URL('../../scripts/conformance-providers.ts', import.meta.url).pathname;
      const args = [script, '--cuts', '0', '--json'];
      const printed = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Report;
      expect(printed.failures).toEqual([]);
      expect(printed.wires['openai-chat']).toEqual(report.wires['openai-chat']);
    });
  });
});
