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

    listEvents: ({ run, after, limit }) =>
      events.from(run, { seq: after + 1 }, limit).map((event) => ({ ...event })),
  };
}
