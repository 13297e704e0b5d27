import { href } from '../../base/place.ts';
import type { SkillDetails } from '../../data/answers.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { visibleProse } from '../../parts/visible.ts';
import { reasonInWords } from '../../parts/why/finding.ts';
import { t } from './words.ts';

/** All that is known of one skill, and its text as it is written: a model reads it so. */
export function SkillPanel({ name }: { name: string }) {
  const { data: skill, error, reload } = useRequest('skill.get', { name });
  if (error) return <Failure error={error} retry={reload} />;
  if (!skill) return null;
  return (
    <article class="panel skill" aria-labelledby="skill-name">
      <header>
        <h2 id="skill-name">{visibleProse(skill.title ?? skill.name)}</h2>
        {skill.forPeople && skill.off === null && (
          <a class="btn small primary" href={href(`/chat?say=${encodeURIComponent(`/${skill.name} `)}`)}>
            {t.use}
          </a>
        )}
        <a class="link back" href={href('/skills')}>
          {t.back}
        </a>
      </header>
      <p>{visibleProse(skill.description)}</p>
      {skill.warnings.length > 0 && (
        <ul class="failure">
          {skill.warnings.map((why, i) => (
            <li key={why}>{reasonInWords({ why, reason: skill.warningSentences[i] })}</li>
          ))}
        </ul>
      )}
      <dl class="facts">
        <dt>{t.where}</dt>
        <dd class="mono">{skill.path}</dd>
        <dt>{t.allowed}</dt>
        <dd>{skill.allowed === null ? t.nothing : <code>{skill.allowed.join(', ') || t.noTool}</code>}</dd>
        <dt>{t.confirm}</dt>
        <dd>{skill.confirm === null ? t.nothing : <code>{skill.confirm.join(', ') || t.noTool}</code>}</dd>
        <dt>{t.hash}</dt>
        <dd>
          {skill.hash !== null && <code>{skill.hash.slice(0, 12)}</code>}{' '}
          {skill.isTrusted ? t.trusted : t.notTrusted}
        </dd>
        {skill.license !== null && [<dt key="l">{t.license}</dt>, <dd key="license">{skill.license}</dd>]}
        {skill.files &&
          skill.files.length > 0 && [
            <dt key="f">{t.files}</dt>,
            <dd key="files" class="mono">
              {visibleProse(skill.files.join(', '))}
            </dd>,
          ]}
        {skill.shadows.length > 0 && [
          <dt key="s">{t.shadows}</dt>,
          <dd key="shadows" class="mono">
            {skill.shadows.join(', ')}
          </dd>,
        ]}
      </dl>
      <p class="dim">{whoChooses(skill)}</p>
      <h3 class="label">{t.text}</h3>
      <pre class="skill-text">{visibleProse(skill.body)}</pre>
    </article>
  );
}

function whoChooses({ forModels, forPeople }: SkillDetails): string | null {
  if (forModels && forPeople) return null;
  if (forPeople) return t.onlyPeople;
  return forModels ? t.onlyModels : t.noOne;
}
