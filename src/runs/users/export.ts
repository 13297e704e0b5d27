import { grantView } from '../../call/policy.ts';
import { parseJson } from '../../protocol/json.ts';
import { isJobRun } from '../../store/stored-run.ts';
import type { Store } from '../rows/statements.ts';
import { exportLines } from '../sessions/export.ts';

/** What is kept of a user beside the rows of their sessions. */
interface Beside {
  memory(): AsyncIterable<{ path: string; text: string }>;
  jobs(): AsyncIterable<{ jobId: string; definition: object }>;
  /** Lines of what a shop keeps. */
  shop(): AsyncIterable<{ type: string }>;
}

interface ExportedUser extends Beside {
  tenant: number;
  user: string;
  at: number;
  /** The program that the lines of sessions name. */
  sdkVersion: string;
}

/** Keys of requests that are read at once. */
const pageKeys = 200;

/**
 * All that is kept of a user, as lines of JSON without their ends, each with a `type`. The last one says how many there are, so that
 * a copy that broke off is found out. No line has more than one message, event, file or answer.
 */
export async function* exportUser(store: Store, exported: ExportedUser): AsyncGenerator<string> {
  let lines = 0;
  for await (const line of linesOf(store, exported)) {
    lines++;
    yield line;
  }
  yield JSON.stringify({ type: 'end', lines: lines + 1 });
}

async function* linesOf(store: Store, exported: ExportedUser): AsyncGenerator<string> {
  const { tenant, user, at, memory, jobs, shop } = exported;
  yield JSON.stringify({ type: 'user', userId: user, tenantId: tenant, at });
  for (const guest of await store.query('listGuestsOf', { tenant, user }))
    yield JSON.stringify({ type: 'guest', userId: guest.user, claimedAt: guest.at });
  yield* sessionsOf(store, exported);
  for await (const file of memory()) yield JSON.stringify({ type: 'memory', ...file });
  for await (const job of jobs()) yield JSON.stringify({ type: 'job', ...job });
  for await (const line of shop()) yield JSON.stringify(line);
  for (const { id } of await store.query('listUploadsOf', { tenant, user })) {
    const upload = await store.query('findUpload', { tenant, id });
    if (!upload) continue;
    const { name, mime: mimeType, body: data, createdAt } = upload;
    yield JSON.stringify({ type: 'upload', id, name, mimeType, createdAt, data });
  }
  yield* accountOfUser(store, exported);
}

async function* sessionsOf(store: Store, { tenant, user, sdkVersion }: ExportedUser): AsyncGenerator<string> {
  for (const { pk: session, key } of await store.query('listSessionsOf', { tenant, user })) {
    const about = await store.query('describeSession', { session });
    if (!about) continue;
    const runs = (await store.query('listRunsOf', { session, limit: Number.MAX_SAFE_INTEGER })).reverse();
    // The queue of a job is no conversation, and the job has a line of its own.
    if (runs.length > 0 && runs.every(isJobRun)) continue;
    const { createdAt, title, pinned } = about;
    yield JSON.stringify({ type: 'session', sessionId: key, createdAt, title, pinned: pinned === 1 });
    for (const grant of await store.query('listGrants', { session }))
      yield JSON.stringify({ type: 'grant', sessionId: key, ...grantView(grant) });
    for await (const line of exportLines(store, { key, createdAt, runs, sdkVersion }))
      yield wrapped(key, line);
  }
  // Their runs in sessions in which others speak, too.
  for (const { id } of await store.query('listRunsApart', { tenant, user })) {
    const run = await store.query('loadRun', { tenant, id });
    if (!run) continue;
    const { sessionKey: key, createdAt } = run;
    for await (const line of exportLines(store, { key, createdAt, runs: [run], sdkVersion }))
      yield wrapped(key, line);
  }
}

function wrapped(sessionId: string, line: string): string {
  return `{"type":"line","sessionId":${JSON.stringify(sessionId)},"line":${line}}`;
}

async function* accountOfUser(store: Store, { tenant, user }: ExportedUser): AsyncGenerator<string> {
  for (const token of await store.query('listAccessTokens', { tenant })) {
    if (token.user !== user) continue;
    const { id, name, scopes, createdAt, expiresAt, revokedAt } = token;
    yield JSON.stringify({
      type: 'token',
      ...{ id, name, scopes: JSON.parse(scopes), createdAt, expiresAt, revokedAt },
    });
  }
  const filter = {
    tenant,
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    user,
    sessionKey: null,
    runId: null,
    reach: null,
  };
  for (const { key, ...sum } of await store.query('sumUsage', { ...filter, by: 'day', limit: 100_000 }))
    yield JSON.stringify({ type: 'usage', day: key, ...sum });
  for (const { id, period, spentTokens, spentCostUsd } of await store.query('listAccountsOf', {
    tenant,
    user,
  }))
    yield JSON.stringify({ type: 'budget', name: id.split(':', 1)[0], period, spentTokens, spentCostUsd });
  const owner = JSON.stringify(user);
  for (let after = ''; ; ) {
    const page = await store.query('listRequestKeysOf', { tenant, owner, after, limit: pageKeys });
    for (const { answer, effect, at } of page)
      yield JSON.stringify({ type: 'request', at, answer: parseJson(answer ?? effect ?? 'null') });
    const last = page.at(-1);
    if (!last || page.length < pageKeys) return;
    after = last.name;
  }
}
