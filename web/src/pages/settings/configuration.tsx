import { useState } from 'preact/hooks';
import type { Origin } from '../../data/answers.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { t } from './words.ts';

/** Every value of the configuration in force, and where it comes from. */
export function Configuration() {
  const [query, search] = useState('');
  const [isChanged, showChanged] = useState(false);
  const { data, error, reload } = useRequest('config.get', {});
  const asked = useRequest('config.origins', {});
  const config = data?.config;
  const origins = asked.data?.origins;
  const failed = error ?? asked.error;
  if (failed) return <Failure error={failed} retry={reload} />;
  if (!config || !origins) return null;
  const originOf = (field: string) => origins.values[field] ?? { source: 'default' as const, from: null };
  const shown = Object.entries(config.values).filter(
    ([field, value]) =>
      (!isChanged || originOf(field).source !== 'default') &&
      `${field} ${printed(value)}`.toLowerCase().includes(query.toLowerCase()),
  );
  return (
    <>
      <p class="mid">
        {t.workspace} <code>{config.workspace}</code>
        {t.readFrom(origins.file === null ? t.noFile : t.file(origins.file))}
        {t.noChange}
      </p>
      <p class="config-filter">
        <SearchField value={query} label={t.search} onSearch={search} delayMs={0} />
        <label class="check">
          <input
            type="checkbox"
            checked={isChanged}
            onChange={(event) => showChanged(event.currentTarget.checked)}
          />
          {t.changed}
        </label>
      </p>
      {shown.length === 0 ? (
        <p class="empty">{t.none}</p>
      ) : (
        <table class="config panel">
          <thead>
            <tr>
              <th scope="col">{t.configuration}</th>
              <th scope="col">{t.value}</th>
              <th scope="col">{t.from}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(([field, value]) => (
              <tr key={field} class={originOf(field).source === 'default' ? undefined : 'own'}>
                <th scope="row">
                  <code>{field}</code>
                </th>
                <td>{value === null ? <span class="dim">{t.unset}</span> : <code>{printed(value)}</code>}</td>
                <td class="nw">{inWords(originOf(field))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function printed(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function inWords({ source, from }: Origin): string {
  if (source === 'default') return t.default;
  const name = from ?? '';
  if (source === 'variable') return t.variable(name);
  if (source === 'flag') return t.flag(name.replace(/^--/, ''));
  return source === 'file' ? t.inFile(name) : t.program;
}
