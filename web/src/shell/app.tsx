import { useEffect } from 'preact/hooks';
import { LiveRegions } from '../base/announce.tsx';
import { useShortcuts } from '../base/keys.ts';
import { go, href, place, segments } from '../base/place.ts';
import { connection } from '../data/connection.ts';
import { loginState } from '../data/login.ts';
import { GuideSlot } from './guide-slot.tsx';
import { LoginPage } from './login-page.tsx';
import { Nav } from './nav.tsx';
import { OfflineBar } from './offline-bar.tsx';
import { PageErrors } from './page-errors.tsx';
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
  useShortcuts([
    { keys: 'N', words: t.newSession, act: () => go('/chat') },
    { keys: '?', words: t.allKeys, act: showShortcuts },
  ]);
  useEffect(() => {
    document.title = page ? `${page.title} · Detent` : 'Detent';
  });
  // The first request connects, but a page may have none.
  void connection.value;
  return (
    <div class="app">
      <Nav here={name} />
      <div class="stage">
        <OfflineBar />
        <GuideSlot name={name} rest={rest} />
        <PageErrors key={name}>{page ? <page.Page rest={rest} /> : <NotFound />}</PageErrors>
      </div>
      <ShortcutsDialog />
      <LiveRegions />
    </div>
  );
}

function NotFound() {
  return (
    <main class="page wrap">
      <h1>{t.noPage}</h1>
      <p class="empty">
        <a class="link" href={href('/chat')}>
          {t.toChat}
        </a>
      </p>
    </main>
  );
}
