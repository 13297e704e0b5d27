import { setQuery } from '../../base/place.ts';
import { useRequest } from '../../data/use-request.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { TimeSegments } from '../../parts/time-segments.tsx';
import { type Filters, times } from './filters.ts';
import { t } from './words.ts';

interface FilterBarProps {
  filters: Filters;
  models: readonly string[];
}

/** Which runs are shown. The address keeps it. */
export function FilterBar({ filters, models }: FilterBarProps) {
  const { words, session, model, state, time } = filters;
  const sessions = useRequest('session.list', { limit: 100 }).data?.sessions ?? [];
  const keys = sessions.map(({ sessionId }) => sessionId);
  const shownKeys = session === '' || keys.includes(session) ? keys : [session, ...keys];
  return (
    <search class="filters">
      <SearchField value={words} label={t.search} onSearch={(text) => setQuery({ q: text.trim() })} />
      <NameSelect
        label={t.session}
        all={t.allSessions}
        names={shownKeys}
        chosen={session}
        choose={(key) => setQuery({ session: key })}
      />
      <NameSelect
        label={t.model}
        all={t.allModels}
        names={models}
        chosen={model}
        choose={(name) => setQuery({ model: name })}
      />
      {state !== '' && (
        <button
          type="button"
          class="btn"
          aria-pressed="true"
          title={t.clear}
          onClick={() => setQuery({ state: null })}
        >
          {t.only(state === 'idle' ? t.queued : state)} ✕
        </button>
      )}
      <TimeSegments times={times} chosen={time} />
    </search>
  );
}

interface NameSelectProps {
  label: string;
  /** What the choice of no name is called. */
  all: string;
  names: readonly string[];
  chosen: string;
  choose(name: string): void;
}

function NameSelect({ label, all, names, chosen, choose }: NameSelectProps) {
  return (
    <select
      class="field hidephone"
      aria-label={label}
      value={chosen}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="">{all}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
