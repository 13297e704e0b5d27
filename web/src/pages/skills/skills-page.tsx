import { problemsInWords, reasonInWords } from '../../parts/why/finding.ts';
import './skills.css';
import type { PageProps } from '../../base/page-props.ts';
import { href, place, setQuery } from '../../base/place.ts';
import type { Skill } from '../../data/answers.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { Headline } from '../../parts/headline.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Chip } from '../../parts/shape.tsx';
import { visibleProse } from '../../parts/visible.ts';
import { SkillPanel } from './skill-panel.tsx';
import { t } from './words.ts';

/** `/skills` lists them, `/skills/NAME` shows one beside the list. */
export function SkillsPage({ rest: [chosen] }: PageProps) {
  const { data, error, reload } = useRequest('skill.list', {}, { everyMs: 15_000 });
  const list = data?.skills;
  const query = place.value.query.get('q') ?? '';
  const shown = list?.skills.filter((skill) => fits(skill, query)) ?? [];
  return (
    <main class="page skills-page">
      <div class={`wrap skills${chosen === undefined ? '' : ' reading'}`}>
        <Headline title={t.title} about={t.about}>
          <SearchField value={query} label={t.search} onSearch={(q) => setQuery({ q })} delayMs={0} />
        </Headline>
        {error && <Failure error={error} retry={reload} />}
        <div class="skills-list">
          {list?.unknown.map(({ name }) => (
            <p key={name} class="failure">
              {t.unknown(name)}
            </p>
          ))}
          <ul class="panel rows">
            {shown.map((skill) => (
              <SkillRow key={skill.name} skill={skill} isChosen={skill.name === chosen} />
            ))}
            {list?.bad.map(({ path, ...reasons }) => (
              <li key={path}>
                <div class="row">
                  <span>
                    <b class="mono">{visibleProse(path)}</b>
                    <span class="mid">{visibleProse(problemsInWords(reasons))}</span>
                  </span>
                  <Chip state="fail">{t.invalid}</Chip>
                </div>
              </li>
            ))}
          </ul>
          {list && shown.length === 0 && <p class="empty">{query === '' ? t.empty : t.none(query)}</p>}
        </div>
        {chosen !== undefined && <SkillPanel key={chosen} name={chosen} />}
      </div>
    </main>
  );
}

function SkillRow({ skill, isChosen }: { skill: Skill; isChosen: boolean }) {
  const { name, description, from, off, offReason, warnings } = skill;
  const validity =
    off !== null ? (
      <Chip state="cancel">{t.off}</Chip>
    ) : warnings.length > 0 ? (
      <Chip state="decide">{t.warning(warnings.length)}</Chip>
    ) : (
      <Chip state="done">{t.valid}</Chip>
    );
  return (
    <li>
      <a
        class="row"
        href={href(`/skills/${encodeURIComponent(name)}`)}
        aria-current={isChosen ? 'page' : undefined}
      >
        <span>
          <b class="mono">/{name}</b>
          <span class="mid">{visibleProse(description)}</span>
          <span class="dim">
            {t[from]}
            {off !== null && `, ${reasonInWords({ why: off, reason: offReason })}`}
          </span>
        </span>
        {validity}
      </a>
    </li>
  );
}

function fits({ name, description }: Skill, query: string): boolean {
  const text = `${name} ${description}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
