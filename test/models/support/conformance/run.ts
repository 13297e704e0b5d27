import { isDeepStrictEqual } from 'node:util';
import { httpError } from '../../../../src/models/wire/http-error.ts';
import { type Difference, differencesOf } from '../compare.ts';
import { byteByByte, cutAt, cutAtRandom } from '../cuts.ts';
import { httpErrors, type Recording } from '../recordings.ts';
import { wholeAnswers, wholeDifferences } from '../whole-answers.ts';
import { wireTests } from '../wires.ts';
import { features } from './features.ts';
import { readEvents, sseVectors } from './sse-vectors.ts';

export interface Count {
  passed: number;
  total: number;
}

interface Failure {
  id: string;
  /** How the bytes were cut: `whole`, `bytes`, `seed 3`. */
  cut: string;
  isStrict: boolean;
  differences: Difference[];
}

export interface Report {
  /** Recordings by provider and feature; a recording passes when all its readings do. */
  providers: Record<string, Record<string, Count>>;
  /** Strict recordings, by wire. */
  wires: Record<string, Count>;
  /** Recordings that break the rules of their wire: not to crash on, and not to double text of. */
  unruly: Count;
  /** Single readings of recordings, however cut. */
  readings: Count;
  wholeAnswers: Count;
  httpErrors: Record<string, Count>;
  sseVectors: Count;
  failures: Failure[];
}

interface Settings {
  recordings: readonly Recording[];
  /** How many times each recording is cut at random, by seeds from 1 on. */
  cuts: number;
  /** Whether each is read byte by byte, too. */
  byteByByte: boolean;
}

/** Reads everything that was recorded and compares it with what it must come to. */
export function checkConformance({ recordings, cuts, byteByByte }: Settings): Report {
  const report: Report = {
    providers: {},
    wires: {},
    unruly: none(),
    readings: none(),
    wholeAnswers: none(),
    httpErrors: {},
    sseVectors: none(),
    failures: [],
  };
  for (const recording of recordings) addRecording(report, recording, { cuts, byteByByte });
  for (const whole of wholeAnswers()) {
    const differences = attempt(() =>
      wholeDifferences(whole, wireTests[whole.reader].read([JSON.stringify(whole.body)])),
    );
    count(report.wholeAnswers, differences.length === 0);
    fail(report, { id: whole.name, cut: 'whole', isStrict: true, differences });
  }
  addHttpErrors(report);
  addSseVectors(report);
  return report;
}

function addRecording(report: Report, recording: Recording, cutting: Omit<Settings, 'recordings'>): void {
  const { id, provider, wire, strict } = recording;
  const all = [...cutsOf(recording.bytes, cutting)].flatMap(({ cut, pieces }) => {
    const differences = attempt(() => differencesOf(recording, wireTests[wire].read(pieces)));
    count(report.readings, differences.length === 0);
    fail(report, { id, cut, isStrict: strict, differences });
    return differences;
  });
  const ok = all.length === 0;
  if (strict) report.wires[wire] = count(report.wires[wire], ok);
  else count(report.unruly, ok);
  report.providers[provider] ??= {};
  const row = report.providers[provider];
  row.all = count(row.all, ok);
  for (const { name, has, fields } of features) {
    if (!has(recording)) continue;
    const isWrong = all.some(({ field }) => field === 'thrown' || fields.some((one) => one.test(field)));
    row[name] = count(row[name], !isWrong);
  }
}

function* cutsOf(bytes: Uint8Array, { cuts, byteByByte: isSlow }: Omit<Settings, 'recordings'>) {
  yield { cut: 'whole', pieces: [bytes] };
  if (isSlow) yield { cut: 'bytes', pieces: byteByByte(bytes) };
  for (let seed = 1; seed <= cuts; seed++)
    yield { cut: `seed ${seed}`, pieces: cutAtRandom(bytes, 12, seed) };
}

function addHttpErrors(report: Report): void {
  for (const recorded of httpErrors()) {
    const { url, status, headers, expect } = recorded;
    const body = JSON.stringify(recorded.body);
    const { kind, retryable } = httpError({ status, headers, body, origin: new URL(url).origin });
    const isRight = kind === expect.kind && retryable === expect.retryable;
    report.httpErrors[expect.kind] = count(report.httpErrors[expect.kind], isRight);
    const differences = isRight ? [] : [{ field: 'kind', expected: expect, got: { kind, retryable } }];
    fail(report, { id: `${status} of ${url}`, cut: 'whole', isStrict: true, differences });
  }
}

function addSseVectors(report: Report): void {
  for (const { name, base64, cuts, expect } of sseVectors()) {
    const bytes = Buffer.from(base64, 'base64');
    const readings = { whole: [bytes], bytes: byteByByte(bytes), cuts: cutAt(bytes, cuts) };
    for (const [cut, pieces] of Object.entries(readings)) {
      const got = readEvents(pieces);
      const isRight = isDeepStrictEqual(got, expect);
      count(report.sseVectors, isRight);
      const differences = isRight ? [] : [{ field: 'events', expected: expect, got }];
      fail(report, { id: name, cut, isStrict: true, differences });
    }
  }
}

function attempt(read: () => Difference[]): Difference[] {
  try {
    return read();
  } catch (thrown) {
    return [{ field: 'thrown', expected: 'nothing', got: String(thrown) }];
  }
}

function fail(report: Report, failure: Failure): void {
  if (failure.differences.length > 0) report.failures.push(failure);
}

function none(): Count {
  return { passed: 0, total: 0 };
}

function count(counted: Count = none(), ok: boolean): Count {
  counted.total++;
  if (ok) counted.passed++;
  return counted;
}
