import { page } from '../page.ts';
import type { EventStatements } from '../statements/events.ts';
import { constraintFailed } from './errors.ts';
import { type Handlers, requireRun, scoped, type Tables } from './schema.ts';

export function eventStatements(tables: Tables): Handlers<EventStatements> {
  const { events, eventKeys, eventKeysOfRun } = tables;
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

    listEvents: ({ run, after, limit, ...bytes }) =>
      page(events.from(run, { seq: after + 1 }, limit), bytes).map((event) => ({ ...event })),

    listFoldStarts: ({ run }) =>
      events
        .of(run)
        .filter(({ type }, i) => i === 0 || type === 'run.migrated')
        .map((event) => ({ ...event })),
  };
}
