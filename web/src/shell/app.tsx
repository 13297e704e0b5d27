import { Component, type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { LiveRegions } from '../base/announce.tsx';
import { timeOfDay } from '../base/format.ts';
import { useShortcuts } from '../base/keys.ts';
import { go, href, place, segments } from '../base/place.ts';
import { titleOfTab } from '../base/title.ts';
import { client, connection, isCustomer, staleSince } from '../data/connection.ts';
import { loginState } from '../data/login.ts';
import { asClientError, useRequest } from '../data/use-request.ts';
import { isGuideClosed, seenTour, tourModel } from '../pages/tour/tour.ts';
import { Failure } from '../parts/failure.tsx';
import { late } from '../parts/late.tsx';
import { LoginPage } from './login-page.tsx';
import { Nav } from './nav.tsx';
import { pageOf } from './pages.tsx';
import { ShortcutsDialog, showShortcuts } from './shortcuts-dialog.tsx';
import { t } from './words.ts';

/** The whole page: the rail at the left, and the page of the place. */
export function App() {
  if (loginState.value === 'unknown') return null;
  if (loginState.value === 'out') return <LoginPage />;
  return <Shell />;
}

function Shell() {
  const [name = 'chat', ...rest] = segments(place.value);
  const page = pageOf(name);
  const isHidden = name !== 'chat' && isCustomer();
  useShortcuts([
    { keys: 'N', words: t.newSession, act: () => go('/chat') },
    { keys: '?', words: t.allKeys, act: showShortcuts },
  ]);
  const title = titleOfTab(page?.title ?? '');
  useEffect(() => {
    document.title = title;
  }, [title]);
  // The first request connects, but a page may have none.
  void connection.value;
  return (
    <div class="app">
      <Nav here={name} />
      <div class="stage">
        <OfflineBar />
        <GuideSlot name={name} rest={rest} />
        <PageErrors key={name}>
          {page && !isHidden ? (
            <page.Page rest={rest} />
          ) : (
            <NotFound why={isHidden ? t.onlyChat : t.noPage} />
          )}
        </PageErrors>
      </div>
      <ShortcutsDialog />
      <LiveRegions />
    </div>
  );
}

function NotFound({ why }: { why: string }) {
  return (
    <main class="page wrap">
      <h1>{why}</h1>
      <p class="empty">
        <a class="link" href={href('/chat')}>
          {t.toChat}
        </a>
      </p>
    </main>
  );
}

/** Most visits have no guide, so its words are loaded when there is one. */
const Guide = late(async () => (await import('../pages/tour/guide.tsx')).Guide);

interface GuideSlotProps {
  /** The page that is open, and the rest of its path. */
  name: string;
  rest: readonly string[];
}

/** Above a page that shows a run of the guided demo: its guide, unless a person closed it. */
function GuideSlot({ name, rest }: GuideSlotProps) {
  const id = rest[0] ?? null;
  const sessionId = name === 'chat' ? id : null;
  const newest = useNewestRun(sessionId);
  const run = newest?.model === tourModel ? newest.runId : null;
  useEffect(() => {
    if (run !== null) seenTour.value = run;
  }, [run]);
  const shown = name === 'runs' && id === seenTour.value ? id : run;
  if (shown === null || isGuideClosed.value) return null;
  return <Guide key={shown} runId={shown} />;
}

/** The newest run of a session. Only after one of the demo another one is awaited: the guide then goes. */
function useNewestRun(sessionId: string | null): { runId: string; model?: unknown } | null {
  const [isTour, setTour] = useState(false);
  const input = sessionId === null ? null : { sessionId, limit: 1 };
  const { data } = useRequest('run.list', input, isTour ? { everyMs: 4_000 } : {});
  const run = data?.runs[0] ?? null;
  const isOfTour = run?.model === tourModel;
  useEffect(() => setTour(isOfTour), [isOfTour]);
  return run;
}

/** Says while the gateway does not answer: since when the page may be old, and when it tries again. Leaves by itself. */
function OfflineBar() {
  const since = staleSince.value;
  const { retryAt } = connection.value;
  const [now, tick] = useState(Date.now());
  useEffect(() => {
    if (since === null) return;
    const timer = setInterval(() => tick(Date.now()), 500);
    return () => clearInterval(timer);
  }, [since === null]);
  // A moment's break is none that a person must know of.
  if (since === null || now - since < 400) return null;
  const seconds = retryAt === null ? 0 : Math.ceil((retryAt - now) / 1_000);
  return (
    <div class="offline" role="status">
      <span>{t.offline(timeOfDay(since, true))}</span>
      <span aria-live="off">{seconds > 0 ? t.offlineNext(seconds) : t.offlineNow}</span>
      <button type="button" class="btn small" onClick={() => client().connect()}>
        {t.tryNow}
      </button>
    </div>
  );
}

/** A page that fails to draw must not take the others with it. */
class PageErrors extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: null };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error });
  }

  override render({ children }: { children: ComponentChildren }, { error }: { error: unknown }) {
    if (error === null) return children;
    return (
      <main class="page wrap">
        <Failure error={asClientError(error)} retry={() => this.setState({ error: null })} />
      </main>
    );
  }
}
