import './learn.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { language } from '../../base/language.ts';
import type { PageProps } from '../../base/page-props.ts';
import { href } from '../../base/place.ts';
import { MachineChart } from '../../parts/chart/machine-chart.tsx';
import { Headline } from '../../parts/headline.tsx';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { TourOffer } from '../tour/tour-offer.tsx';
import { LessonBody } from './lesson-body.tsx';
import { chartsIn, documentText, fragmentOf, lessonText } from './lesson-text.ts';
import { t } from './words.ts';

const numbers = [1, 2, 3, 4, 5, 6] as const;

type LessonNumber = (typeof numbers)[number];

/** The lessons of `docs/learn` with their pictures, by path. */
const files = import.meta.glob<string>('../../../../docs/learn/*-*.{md,svg}', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The documents that the lessons link to: each is loaded when it is opened. */
const documents = import.meta.glob<string>(
  '../../../../docs/{architecture,context,debugging,durability,gateway,install,memory,policy,schedule,skills,trust,usage}.md',
  { query: '?raw', import: 'default' },
);

const pathOf = (name: string) => `../../../../docs/${name}.md`;

/** Text in Markdown links to the web alone, so this is a whole address; it opens in a tab of its own. */
function addressOf(name: string, section: string): string | null {
  return pathOf(name) in documents ? `${location.origin}${href(`/learn/docs/${name}${section}`)}` : null;
}

/** `/learn` lists the lessons, `/learn/2` shows one, and `/learn/docs/policy` a document. */
export function LearnPage({ rest }: PageProps) {
  if (rest.length === 0) return <Lessons />;
  const document = rest[0] === 'docs' ? documents[pathOf(rest[1] ?? '')] : undefined;
  if (document) return <Document key={rest[1]} name={rest[1] ?? ''} load={document} />;
  const n = numbers.find((number) => String(number) === rest[0]);
  return n === undefined ? <NoLesson /> : <Lesson key={n} n={n} />;
}

function Lessons() {
  return (
    <main class="page learn-page">
      <div class="wrap learn">
        <Headline title={t.title} about={t.about} />
        <TourOffer hasLessons={false} />
        <ol class="lessons" aria-label={t.lessons}>
          {numbers.map((n) => (
            <li key={n} class="panel">
              <a href={href(`/learn/${n}`)}>
                <span class="label">{t.lesson(n)}</span>
                <b>{t[`title${n}`]}</b>
                <span class="mid">{t[`sees${n}`]}</span>
              </a>
            </li>
          ))}
        </ol>
      </div>
    </main>
  );
}

function Lesson({ n }: { n: LessonNumber }) {
  const { before, after, alt } = lessonText(fileOf(n, 'md'), addressOf);
  const previous = numbers.find((number) => number === n - 1);
  const next = numbers.find((number) => number === n + 1);
  return (
    <Reading title={`${n}. ${t[`title${n}`]}`} inEnglish={t.inEnglish} about={<Where />}>
      <article lang="en">
        <LessonBody markdown={before} />
        <img src={pictureOf(n)} alt={alt} />
        <LessonBody markdown={after} />
      </article>
      <nav class="lesson-nav" aria-label={t.lessons}>
        {previous && (
          <a class="btn" href={href(`/learn/${previous}`)}>
            {t.before(t[`title${previous}`])}
          </a>
        )}
        {next && (
          <a class="btn primary" href={href(`/learn/${next}`)}>
            {t.next(t[`title${next}`])}
          </a>
        )}
      </nav>
    </Reading>
  );
}

function Where() {
  return (
    <p>
      {t.where}{' '}
      <a class="link" href={href('/learn/docs/install')}>
        {t.install}
      </a>
    </p>
  );
}

interface ReadingProps {
  title: string;
  /** Says to readers of another language that the text is in English. */
  inEnglish: string;
  about?: ComponentChildren;
  children: ComponentChildren;
}

function Reading({ title, inEnglish, about, children }: ReadingProps) {
  return (
    <main class="page learn-page">
      <div class="wrap learn">
        <header class="headline">
          <div>
            <a class="link" href={href('/learn')}>
              {t.all}
            </a>
            <h1>{title}</h1>
            {language.value !== 'en' && <p>{inEnglish}</p>}
            {about}
          </div>
        </header>
        {children}
      </div>
    </main>
  );
}

function Document({ name, load }: { name: string; load: () => Promise<string> }) {
  const [markdown, show] = useState<string | null>(null);
  const [isLost, lose] = useState(false);
  useEffect(() => {
    load().then(show, () => lose(true));
  }, [load]);
  const article = useRef<HTMLElement>(null);
  useEffect(() => showSection(article.current), [markdown]);
  /** A section of this very document needs no tab of its own. */
  const stay = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link?.hash || link.origin !== location.origin || link.pathname !== location.pathname) return;
    event.preventDefault();
    location.hash = link.hash;
    showSection(article.current);
  };
  if (isLost) return <NoLesson />;
  return (
    <Reading title={/^# (.*)$/m.exec(markdown ?? '')?.[1] ?? t.reading} inEnglish={t.documentInEnglish}>
      {markdown !== null && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a key that presses a link clicks it.
        <article lang="en" ref={article} onClick={stay}>
          {chartsIn(markdown).map((part, at) =>
            typeof part === 'string' ? (
              <Markdown key={at} text={documentText(part, (of, section) => addressOf(of || name, section))} />
            ) : (
              <div key={at} class="panel drawn">
                <MachineChart name={part.machine} isOwn />
              </div>
            ),
          )}
        </article>
      )}
    </Reading>
  );
}

function showSection(article: HTMLElement | null): void {
  const titles = article?.querySelectorAll('h2') ?? [];
  const named = [...titles].find(({ textContent }) => fragmentOf(textContent) === location.hash);
  named?.scrollIntoView();
}

function NoLesson() {
  return (
    <main class="page wrap">
      <h1>{t.none}</h1>
      <p class="empty">
        <a class="link" href={href('/learn')}>
          {t.all}
        </a>
      </p>
    </main>
  );
}

function fileOf(n: LessonNumber, ending: 'md' | 'svg'): string {
  const path = Object.keys(files).find((name) => name.includes(`/${n}-`) && name.endsWith(`.${ending}`));
  return path === undefined ? '' : (files[path] ?? '');
}

/** In the address itself: a file would come with the policy of the page, which forbids the styles in it. */
function pictureOf(n: LessonNumber): string {
  return `data:image/svg+xml,${encodeURIComponent(fileOf(n, 'svg'))}`;
}
