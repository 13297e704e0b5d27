import { globSync, readFileSync } from 'node:fs';
import type { Fields } from './rule.ts';

const streams = new URL('../../fixtures/streams/', import.meta.url);

interface RecordedRequest {
  id: string;
  provider: string;
  request: Fields;
}

/** The bodies of real requests that real providers answered, as far as the recordings have them. */
export function recordedRequests(wire: string): RecordedRequest[] {
  return globSync('*/*.expected.json', { cwd: streams })
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, streams), 'utf8')))
    .filter((recording) => recording.wire === wire && recording.request)
    .map(({ id, provider, request }) => ({ id, provider, request }));
}
