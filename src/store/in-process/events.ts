import { page } from '../page.ts';
import type { EventStatements } from '../statements/events.ts';
import { constraintFailed } from './errors.ts';
import { type Handlers, requireRun, scoped, type Tables } from './schema.ts';

export function eventStatements(tables: Tables): Handlers<EventStatements> {
  const { events, eventKeys, eventKeysOfRun, feed, runs, sessions } = tables;
  return {
    insertEvent({ run, seq, type, body, at, path, hash, key }) {
      requireRun(tables, run);
      if (key !== null && eventKeys.get(scoped(run, key)) !== undefined)
        throw constraintFailed(`run ${run} has an event with key "${key}"`);
      if (!events.add(run, { run, seq, type, body, at, path, hash }))
        throw constraintFailed(`run ${run} has an event ${seq}`);
      if (key !== null) {
        eventKeys.set(scoped(run, key), seq);
        eventKeysOfRun.add(run, { key: scoped(run, key) });
      }
      return 1;
    },

    copyEvents({ from, run, upTo }) {
      const copied = events.of(from).filter(({ seq }) => seq <= upTo);
      if (copied.length > 0) requireRun(tables, run);
      const taken = copied.find(({ seq }) => events.find(run, { seq }));
      if (taken) throw constraintFailed(`run ${run} has an event ${taken.seq}`);
      for (const event of copied) events.add(run, { ...event, run });
      return copied.length;
    },

    feedHead({ tenant }) {
      const last = feed.of(tenant).at(-1);
      return last && { pos: last.pos };
    },

    listFeed: ({ tenant, user, after, upTo }) =>
      feed
        .of(tenant)
        .filter(({ pos }) => pos > after && pos <= upTo)
        .flatMap(({ pos, run, seq }) => {
          const row = runs.get(run);
          const event = events.find(run, { seq });
          if (!row || !event || row.machine === 'job') return [];
          const session = sessions.get(row.session);
          if (!session || (user !== null && session.user !== user)) return [];
          const { type, at, path } = event;
          const { id: runId, machine } = row;
          const ended: 0 | 1 = row.ended === 1 && row.seq === seq ? 1 : 0;
          return [{ pos, seq, type, at, path, runId, sessionKey: session.key, machine, ended }];
        }),

    findEventByKey({ run, key }) {
      const seq = eventKeys.get(scoped(run, key));
      return seq === undefined ? undefined : { seq };
    },

    listPaths({ places }) {
      const found = (JSON.parse(places) as [number, number][]).flatMap(([run, seq]) => {
        const event = events.find(run, { seq });
        return event ? [event] : [];
      });
      return found
        .sort((a, b) => a.run - b.run || a.seq - b.seq)
        .map(({ run, seq, at, path }) => ({ run, seq, at, path }));
    },

    listMessengers({ run }) {
      const said = events
        .of(run)
        .flatMap(({ type, body }) =>
          type === 'run.message' ? ((JSON.parse(body) as { by?: string }).by ?? []) : [],
        );
      return [...new Set(said)].sort().map((by) => ({ by }));
    },

    listEvents: ({ run, after, limit, ...bytes }) =>
      page(events.from(run, { seq: after + 1 }, limit), bytes).map((event) => ({ ...event })),

    listFoldStarts: ({ run }) =>
      events
        .of(run)
        .filter(({ type }, i) => i === 0 || type === 'run.migrated')
        .map((event) => ({ ...event })),
  };
}
