import { useEffect } from 'preact/hooks';
import { href } from '../base/place.ts';
import { waitingCount } from '../base/title.ts';
import { isCustomer } from '../data/connection.ts';
import { asking, runsOf } from '../data/runs.ts';
import { useRequest } from '../data/use-request.ts';
import { Logo } from './logo.tsx';
import { Toggles } from './toggles.tsx';
import { t } from './words.ts';

const icons = {
  chat: 'M3.5 4.5h13v9h-7l-3.5 3v-3h-2.5z',
  runs: 'M3 5.5h5v4h4v5h5M3 14.5h2',
  workflows: 'M3 4h5v4H3zM12 12h5v4h-5zM8 6h6.5v6M12 4h5',
  jobs: 'M3.5 10a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0M10 6v4l3 2',
  memory: 'M5 3.5h10v13H5zM8 3.5v13M10.5 7H13M10.5 10H13',
  skills: 'M10 3l6 3.5v7L10 17l-6-3.5v-7zM4 6.5l6 3.5 6-3.5M10 10v7',
  tools: 'M12.5 3.5a4 4 0 0 0-3.6 5.6L3.5 14.5l2 2 5.4-5.4a4 4 0 0 0 5.4-4.6l-2.3 2.3-2.4-.4-.4-2.4 2.3-2.3z',
  usage: 'M3.5 16.5h13M5.5 14V9.5M10 14V4.5M14.5 14V7.5',
  learn: 'M2.5 7.5 10 4l7.5 3.5L10 11zM5.5 9.5v4c2.5 2.5 6.5 2.5 9 0v-4M17.5 7.5v5',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 3.8v4.4M7 11.8v4.4',
} as const;

type PageName = keyof typeof icons;

const names = ['chat', 'runs', 'workflows', 'jobs', 'memory', 'skills', 'tools', 'usage', 'learn'] as const;

/** On phones the bar has all but these, which the settings link. */
const onlyWide: readonly PageName[] = ['skills', 'tools', 'usage'];

/** The navigation: a rail whose border dips at the page that is open, with a ball in the notch. */
export function Nav({ here }: { here: string }) {
  const waiting = useRequest('run.list', { status: ['waiting'], limit: 100 }, { everyMs: 4_000 });
  const count = asking(runsOf(waiting.data) ?? []).length;
  useEffect(() => {
    waitingCount.value = count;
  }, [count]);
  return (
    <nav class="nav" aria-label={t.main}>
      <a class="logo" href={href('/chat')}>
        <span class="sr">{t.startPage}</span>
        <Logo width={34} height={26} />
      </a>
      {(isCustomer() ? (['chat'] as const) : names).map((name) => (
        <NavItem
          key={name}
          name={name}
          isHere={name === here || (name === 'runs' && here === 'actors')}
          count={name === 'runs' ? count : 0}
        />
      ))}
      {!isCustomer() && (
        <NavItem name="settings" isHere={here === 'settings' || here === 'trust'} count={0} isLast />
      )}
      <div class="foot">
        <Toggles />
      </div>
    </nav>
  );
}

interface NavItemProps {
  name: PageName;
  isHere: boolean;
  count: number;
  isLast?: boolean;
}

function NavItem({ name, isHere, count, isLast = false }: NavItemProps) {
  return (
    <a
      class={`item${onlyWide.includes(name) ? ' more' : ''}${isLast ? ' last' : ''}`}
      href={href(`/${name}`)}
      aria-current={isHere ? 'page' : undefined}
    >
      <svg
        width="20"
        height="20"
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linejoin="round"
        stroke-linecap="round"
        aria-hidden="true"
      >
        <path d={icons[name]} />
      </svg>
      <span>{t[name]}</span>
      {count > 0 && (
        <span class="badge">
          <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
          <span class="sr">{t.waiting(count)}</span>
        </span>
      )}
      <svg class="notch" width="14" height="30" viewBox="0 0 14 30" aria-hidden="true">
        <path d="M14 0H13.5V6L4.5 15l9 9v6h.5z" fill="var(--ground)" />
        <path d="M13.5 0V6L4.5 15l9 9v6" fill="none" stroke="var(--line)" />
        <circle cx="11" cy="15" r="4.2" fill="var(--blue)" />
      </svg>
    </a>
  );
}
