import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { databaseOf } from './harness/inspect-rows.ts';
import type { Happening } from './many.ts';
import type { ManyEntry } from './many-agent.ts';
import { inspectOwnership } from './ownership-log.ts';

type Happened = ManyEntry & { life: number; at: number };

interface ManyResult {
  runs: number;
  effects: number;
  commands: number;
  /** Commands that another process than the caller delivered. */
  delivered: number;
  refused: Record<string, number>;
  /** Acknowledged decisions on calls, by kind: each is in the log of its run once. */
  decisions: Record<string, number>;
  /** Changes of a run's driver. */
  claims: number;
  takeOverMs: number[];
  /** Since the stop, of those that were stopped for longer than their lease. */
  stoppedMs: number[];
  problems: string[];
}

/** What must hold after all processes, whatever was killed or stopped. */
export function inspectMany(workspace: string, { deaths, ends, restarts, longStops }: Happening): ManyResult {
  const happened = readFileSync(join(workspace, 'happened.jsonl'), 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Happened]));
  const db = new Sqlite(databaseOf(workspace), { readonly: true });
  const result: ManyResult = {
    runs: Number(db.prepare('SELECT count(*) FROM runs').pluck().get()),
    effects: happened.filter(({ what }) => what === 'begin').length,
    commands: happened.filter(({ what }) => what === 'sent').length,
    delivered: Number(db.prepare('SELECT count(*) FROM commands WHERE outcome IS NOT NULL').pluck().get()),
    refused: {},
    decisions: {},
    claims: 0,
    takeOverMs: [],
    stoppedMs: [],
    problems: [],
  };
  const problem = (what: string) => result.problems.push(what);
  const open = Number(db.prepare('SELECT count(*) FROM runs WHERE ended = 0').pluck().get());
  if (open > 0) problem(`${open} runs have not ended`);
  // Processes wait for a server that is away, and it may have let go of the locks of some that live.
  const isLost = restarts > 0 || longStops.length > 0;
  const expected = isLost ? /cannot be reached .*Detent waits|was taken over by another driver/ : null;
  for (const entry of happened)
    if (entry.what === 'error' && !expected?.test(entry.code))
      problem(`error of ${entry.run}: ${entry.code}`);
  inspectEffects(happened, deaths, longStops, result);
  const killed = ends.filter(({ pid }) => pid !== process.pid);
  const { claims, takeOverMs } = inspectOwnership(
    db,
    { ends: [...ends, ...longStops], deaths: killed, mayMistake: restarts > 0 },
    problem,
  );
  const stopped = inspectOwnership(db, { ends: [], deaths: longStops, mayMistake: true }, () => {});
  Object.assign(result, { claims, takeOverMs, stoppedMs: stopped.takeOverMs });
  inspectCommands(db, happened, result);
  inspectHeard(db, happened, problem);
  const left = db.prepare('SELECT count(*) FROM drivers WHERE ended_at IS NULL').pluck().get();
  if (left !== 0) problem(`${left} drivers have no end`);
  const named = new Set(db.prepare('SELECT name FROM drivers').pluck().all());
  // One that died before it had a row leaves a lock that a later driver clears away.
  const signs = join(workspace, '.detent', 'drivers');
  for (const file of existsSync(signs) ? readdirSync(signs) : [])
    if (named.has(file.replace(/\..*$/, ''))) problem(`${file} is left`);
  if (db.pragma('integrity_check', { simple: true }) !== 'ok') problem('the database is damaged');
  db.close();
  return result;
}

/** Within this time after it went on a process knows that it was taken for dead. */
const noticeMs = 2_000;

interface Span {
  life: number;
  begin: number;
  end: number;
}

/** Unsafe calls run once; two processes never perform effects of one run at the same time. */
function inspectEffects(
  happened: readonly Happened[],
  deaths: ReadonlyMap<number, number>,
  longStops: Happening['longStops'],
  result: ManyResult,
): void {
  /** What a process performs when it stands still, others may perform again; it may begin what it has committed just before. */
  const isOvertaken = ({ life, begin, end }: Span) =>
    longStops.some((stop) => stop.life === life && begin <= stop.until + noticeMs && end >= stop.at);
  const spans = new Map<string, Span[]>();
  const unsafe = new Map<string, number>();
  /** The ends of effects by who performed them, the last one first. */
  const ends = new Map<string, number[]>();
  for (const entry of happened.toReversed())
    if (entry.what === 'end') {
      const key = `${entry.life} ${entry.effect}`;
      ends.set(key, [...(ends.get(key) ?? []), entry.at]);
    }
  for (const entry of happened) {
    if (entry.what !== 'begin') continue;
    const { life, effect, run, tool } = entry;
    const end = ends.get(`${life} ${effect}`)?.pop() ?? deaths.get(life) ?? entry.at;
    const those = spans.get(run) ?? [];
    spans.set(run, those);
    those.push({ life, begin: entry.at, end });
    if (tool === 'pay' || tool === 'send') unsafe.set(effect, (unsafe.get(effect) ?? 0) + 1);
  }
  for (const [effect, times] of unsafe)
    if (times > 1) result.problems.push(`unsafe call ${effect} ran ${times} times`);
  for (const [run, all] of spans)
    for (const [i, one] of all.entries())
      for (const other of all.slice(i + 1))
        if (
          one.life !== other.life &&
          one.begin < other.end &&
          other.begin < one.end &&
          !isOvertaken(one) &&
          !isOvertaken(other)
        )
          result.problems.push(
            `lives ${one.life} and ${other.life} performed effects of ${run} at once: ${JSON.stringify([one, other])}`,
          );
}

/** A command that was acknowledged is in the log once; one that was refused is not. */
function inspectCommands(db: Sqlite.Database, happened: readonly Happened[], result: ManyResult): void {
  const marked = marksIn(db);
  for (const entry of happened) {
    if (entry.what !== 'acknowledged' && entry.what !== 'refused') continue;
    if (entry.what === 'refused') result.refused[entry.code] = (result.refused[entry.code] ?? 0) + 1;
    const { kind } = entry;
    const isApplied = entry.what === 'acknowledged' && timesOf(kind, entry.answer) === 1;
    if (isApplied && (kind === 'confirm' || kind === 'reconcile'))
      result.decisions[kind] = (result.decisions[kind] ?? 0) + 1;
    const times = marked.get(`${kind} ${kind === 'start' ? entry.run : entry.id}`) ?? 0;
    const wanted = isApplied ? 1 : 0;
    if (times !== wanted)
      result.problems.push(`${JSON.stringify(entry)} is ${times} times in the log, not ${wanted} times`);
  }
}

/** Where a command leaves its mark. Decisions in the log, not in the confirmation's row: a later question takes the row's place. */
const places = {
  start: ["SELECT body FROM messages WHERE role = 'user'", /(run-\d+\.) plan/g],
  steer: ["SELECT body FROM messages WHERE role = 'user'", /steer (\S+) \./g],
  cancel: ["SELECT body FROM run_events WHERE type = 'run.cancel'", /cancel (\S+) \./g],
  confirm: ["SELECT body FROM run_events WHERE type = 'confirm.decide'", /"by":"([^"]+)"/g],
  reconcile: ["SELECT body FROM run_events WHERE type = 'tool.reconcile'", /"by":"([^"]+)"/g],
} as const;

/** In how many rows each command is. One pass: thousands of commands would read all rows each. */
function marksIn(db: Sqlite.Database): ReadonlyMap<string, number> {
  const marked = new Map<string, number>();
  for (const [kind, [sql, mark]] of Object.entries(places))
    for (const body of db.prepare(sql).pluck().all() as string[])
      for (const id of new Set([...body.matchAll(mark)].map(([, id]) => id)))
        marked.set(`${kind} ${id}`, (marked.get(`${kind} ${id}`) ?? 0) + 1);
  return marked;
}

/** How often an acknowledged command is in the log: one that came too late is not. */
function timesOf(kind: string, answer: unknown): number {
  if (kind === 'cancel') return answer === true ? 1 : 0;
  if (kind === 'confirm' || kind === 'reconcile') return (answer as { applied: boolean }).applied ? 1 : 0;
  return 1;
}

/** No transition that a listener heard of is lost, and each listener hears all of them once and in order. */
function inspectHeard(
  db: Sqlite.Database,
  happened: readonly Happened[],
  problem: (what: string) => void,
): void {
  const stored = db
    .prepare(
      'SELECT e.path FROM run_events e JOIN runs ON runs.pk = e.run_pk WHERE runs.id = ? AND e.seq = ?',
    )
    .pluck();
  const last = new Map<string, number>();
  for (const entry of happened) {
    if (entry.what !== 'heard') continue;
    const { run, seq, path, life } = entry;
    const is = stored.get(run, seq);
    if (is !== path) problem(`life ${life} heard of ${path} as transition ${seq} of ${run}, which is ${is}`);
    const before = last.get(`${life} ${run}`);
    if (before !== undefined && seq !== before + 1)
      problem(`life ${life} heard of transition ${seq} of ${run} after ${before}`);
    last.set(`${life} ${run}`, seq);
  }
}
