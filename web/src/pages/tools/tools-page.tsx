import './tools.css';
import type { PageProps } from '../../base/page-props.ts';
import { go, place, setQuery } from '../../base/place.ts';
import type { Tool } from '../../data/answers.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Chip } from '../../parts/shape.tsx';
import { visibleProse } from '../../parts/visible.ts';
import { reasonInWords } from '../../parts/why/finding.ts';
import { t } from './words.ts';

/** `/tools` lists them, `/tools/NAME` has one open. */
export function ToolsPage({ rest: [chosen] }: PageProps) {
  const { data, error, reload } = useRequest('tool.list', {}, { everyMs: 15_000 });
  const tools = data?.tools ?? [];
  const query = place.value.query.get('q') ?? '';
  const shown = tools.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(query.toLowerCase()),
  );
  const working = tools.filter(({ disabled }) => disabled === null).length;
  return (
    <main class="page tools-page">
      <div class="wrap">
        <header class="headline">
          <div>
            <h1>{t.title}</h1>
            <p>{t.about}</p>
            {data && (
              <p class="dim">
                {t.enabled(working)}
                {tools.length > working && t.disabled(tools.length - working)}
              </p>
            )}
          </div>
          <div class="right">
            <SearchField value={query} label={t.search} onSearch={(q) => setQuery({ q })} delayMs={0} />
          </div>
        </header>
        {error && <Failure error={error} retry={reload} />}
        <ul class="panel tool-list">
          {shown.map((tool) => (
            <li key={tool.name} id={`tool-${tool.name}`}>
              <ToolEntry tool={tool} isOpen={tool.name === chosen} />
            </li>
          ))}
        </ul>
        {data && shown.length === 0 && <p class="empty">{t.none(query)}</p>}
      </div>
    </main>
  );
}

function ToolEntry({ tool, isOpen }: { tool: Tool; isOpen: boolean }) {
  const { name, description, sideEffect, asks, disabled, disabledReason, parameters } = tool;
  return (
    <details
      open={isOpen}
      onToggle={(event) => {
        const isNow = event.currentTarget.open;
        if (isNow !== isOpen) go(isNow ? `/tools/${encodeURIComponent(name)}` : '/tools', { replace: true });
      }}
    >
      <summary>
        <b class="mono">{name}</b>
        <span class="cut mid">{visibleProse(description)}</span>
        {disabled !== null ? (
          <Chip state="cancel">{t.off}</Chip>
        ) : asks ? (
          <Chip state="ask">{t.asks}</Chip>
        ) : (
          <Chip state="tool">{t.runs}</Chip>
        )}
      </summary>
      <div class="tool-more">
        <p>{visibleProse(description)}</p>
        <dl class="facts">
          <dt>{t.rule}</dt>
          <dd>{reasonInWords(disabled === null ? tool : { why: disabled, reason: disabledReason })}</dd>
          <dt>{t.repeated}</dt>
          <dd>{sideEffect === null ? t.depends : t[sideEffect]}</dd>
        </dl>
        <Parameters schema={parameters} />
      </div>
    </details>
  );
}

interface Field {
  type?: string | string[];
  /** Schemas are those of tools' servers, which may put anything here. */
  description?: unknown;
  enum?: unknown[];
}

/** The arguments of a tool, by its JSON Schema. */
function Parameters({ schema }: { schema: Record<string, unknown> }) {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Field | null>);
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (fields.length === 0) return <p class="dim">{t.noParameters}</p>;
  return (
    <table class="parameters">
      <caption class="label">{t.parameters}</caption>
      <tbody>
        {fields.map(([name, given]) => {
          const field = given ?? {};
          return (
            <tr key={name}>
              <th scope="row">
                <code>{visibleProse(name)}</code>
              </th>
              <td class="dim nw">
                {typeOf(field)}
                {required.includes(name) && `, ${t.required}`}
              </td>
              <td>{typeof field.description === 'string' && visibleProse(field.description)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function typeOf({ type, enum: values }: Field): string {
  if (Array.isArray(values)) return values.map(String).join(' | ');
  return [type ?? 'any'].flat().join(' | ');
}
