import { setQuery } from '../base/place.ts';
import { NamedSegments } from './segments.tsx';
import { t } from './words.ts';

type AnyTime = 'today' | 'week' | 'month' | 'all';

interface TimeSegmentsProps<Time extends AnyTime> {
  times: readonly Time[];
  chosen: Time;
}

/** How far back a page looks. The address keeps it. */
export function TimeSegments<Time extends AnyTime>({ times, chosen }: TimeSegmentsProps<Time>) {
  return (
    <NamedSegments
      class="right"
      label={t.time}
      options={times.map((one) => [one, t[one]])}
      chosen={chosen}
      choose={(time) => setQuery({ time })}
    />
  );
}
