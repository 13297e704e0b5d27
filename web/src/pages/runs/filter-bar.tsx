import { setQuery } from '../../base/place.ts';
import { useRequest } from '../../data/use-request.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { NamedSegments } from '../../parts/segments.tsx';
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
      <select
        class="field hidephone"
        aria-label={t.session}
        value={session}
        onChange={({ currentTarget }) => setQuery({ session: currentTarget.value })}
      >
        <option value="">{t.allSessions}</option>
        {shownKeys.map((key) => (
          <option key={key} value={key}>
            {key}
          </option>
        ))}
      </select>
      <select
        class="field hidephone"
        aria-label={t.model}
        value={model}
        onChange={({ currentTarget }) => setQuery({ model: currentTarget.value })}
      >
        <option value="">{t.allModels}</option>
        {models.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
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
      <NamedSegments
        class="right"
        label={t.time}
        options={times.map((one) => [one, t[one]])}
        chosen={time}
        choose={(one) => setQuery({ time: one })}
      />
    </search>
  );
}
