import './trust.css';
import type { ComponentChildren } from 'preact';
import { dayAndTime } from '../../base/format.ts';
import type { PageProps } from '../../base/page-props.ts';
import { chatPath, href, runPath } from '../../base/place.ts';
import type { Grant, Token } from '../../data/answers.ts';
import { may } from '../../data/connection.ts';
import { ask, useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { Headline } from '../../parts/headline.tsx';
import { visible } from '../../parts/visible.ts';
import { Revoke } from './revoke.tsx';
import { t } from './words.ts';

/** What is trusted, each with a button that takes it back. Nothing here grants. */
export function TrustPage(_: PageProps) {
  const grants = useRequest('grant.search', {}, { everyMs: 10_000 });
  return (
    <main class="page trust-page">
      <div class="wrap trust">
        <Headline title={t.title} about={t.about} />
        <Part title={t.grants} about={t.grantsAbout}>
          {grants.error && <Failure error={grants.error} retry={grants.reload} />}
          <Grants grants={grants.data?.grants ?? []} reload={grants.reload} />
        </Part>
        {may('admin') ? <OfTheMachine /> : <p class="empty">{t.needsAdmin}</p>}
      </div>
    </main>
  );
}

function OfTheMachine() {
  const { data, error, reload } = useRequest('trust.list', {}, { everyMs: 10_000 });
  if (error) return <Failure error={error} retry={reload} />;
  if (!data) return null;
  const { folders, skills } = data;
  return (
    <>
      <Part title={t.folders} about={t.foldersAbout}>
        {folders === null && <p class="mid">{t.noRecords}</p>}
        {folders?.length === 0 && <p class="mid">{t.noFolders}</p>}
        <ul>
          {folders?.map(({ folder, at, files, mine }) => (
            <li key={folder}>
              <span>
                <b class="mono">{visible(folder)}</b>
                <span class="dim">
                  {t.since(dayAndTime(Date.parse(at)))}
                  {mine && `, ${t.mine}`}
                </span>
                <span class="mid mono">{visible(files.join(', '))}</span>
              </span>
              <Revoke
                what={folder}
                revoke={() => ask('trust.revoke', { kind: 'folder', name: folder })}
                done={reload}
              />
            </li>
          ))}
        </ul>
      </Part>
      <Part title={t.skills} about={t.skillsAbout}>
        {skills.length === 0 && <p class="mid">{t.noSkills}</p>}
        <ul>
          {skills.map(({ name, hash, at }) => (
            <li key={hash}>
              <span>
                <b class="mono">{visible(name)}</b>
                <span class="dim">{t.since(dayAndTime(Date.parse(at)))}</span>
                <code>{hash.slice(0, 12)}</code>
              </span>
              <Revoke what={name} revoke={() => ask('trust.revoke', { kind: 'skill', name })} done={reload} />
            </li>
          ))}
        </ul>
      </Part>
      <Part title={t.tokens} about={t.tokensAbout}>
        <Tokens tokens={data.tokens} reload={reload} />
      </Part>
    </>
  );
}

function Part({ title, about, children }: { title: string; about: string; children: ComponentChildren }) {
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      <p class="mid">{about}</p>
      {children}
    </section>
  );
}

function Grants({ grants, reload }: { grants: readonly Grant[]; reload(): void }) {
  if (grants.length === 0) return <p class="mid">{t.noGrants}</p>;
  return (
    <ul>
      {grants.map(({ sessionId, n, tool, pattern, at, by, runId }) => (
        <li key={`${sessionId} ${n}`}>
          <span>
            <b class="mono">{visible(tool)}</b>
            <code>{visible(JSON.stringify(pattern))}</code>
            <span class="dim">
              {t.session}{' '}
              <a class="link" href={href(chatPath(sessionId))}>
                {visible(sessionId)}
              </a>
              , {t.since(dayAndTime(at))}
              {by !== null && `, ${visible(by)}`},{' '}
              <a class="link" href={href(runPath(runId))}>
                {runId}
              </a>
            </span>
          </span>
          <Revoke what={tool} revoke={() => ask('grant.revoke', { sessionId, grant: n })} done={reload} />
        </li>
      ))}
    </ul>
  );
}

function Tokens({ tokens, reload }: { tokens: readonly Token[]; reload(): void }) {
  const now = Date.now();
  const isValid = ({ revokedAt, expiresAt }: Token) =>
    revokedAt === null && (expiresAt === null || expiresAt > now);
  const valid = tokens.filter(isValid).reverse();
  const ended = tokens.length - valid.length;
  if (valid.length === 0) return <p class="mid">{t.noTokens}</p>;
  return (
    <>
      <ul>
        {valid.map(({ id, name, userId, scopes, createdAt, expiresAt }) => (
          <li key={id}>
            <span>
              <b>{visible(name || id)}</b>
              <span>
                <code>{scopes.join(', ')}</code>
                {userId !== null && `, ${t.user(visible(userId))}`}
              </span>
              <span class="dim">
                <code>{id}</code> {t.since(dayAndTime(createdAt))},{' '}
                {expiresAt === null ? t.forever : t.until(dayAndTime(expiresAt))}
              </span>
            </span>
            <Revoke what={name || id} revoke={() => ask('token.revoke', { id })} done={reload} />
          </li>
        ))}
      </ul>
      {ended > 0 && <p class="dim">{t.ended(ended)}</p>}
    </>
  );
}
