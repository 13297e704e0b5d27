import type { ComponentType } from 'preact';
import type { PageProps } from '../base/page-props.ts';
import { ChatPage } from '../pages/chat/chat-page.tsx';
import { lazyPage } from './lazy-page.tsx';
import { t } from './words.ts';

const Runs = lazyPage(async () => (await import('../pages/runs/runs-page.tsx')).RunsPage);
const Inspector = lazyPage(async () => (await import('../pages/inspector/inspector-page.tsx')).InspectorPage);

/** `/runs` lists them, `/runs/ID` opens one in the inspector. */
function RunsOrRun({ rest }: PageProps) {
  return rest.length > 0 ? <Inspector rest={rest} /> : <Runs rest={rest} />;
}

const Actors = lazyPage(async () => (await import('../pages/actors/actors-page.tsx')).ActorsPage);
const Actor = lazyPage(async () => (await import('../pages/inspector/actor/actor-page.tsx')).ActorPage);

/** `/actors` lists the live actors of programs, `/actors/ID` opens one in the inspector. */
function ActorsOrActor({ rest }: PageProps) {
  return rest.length > 0 ? <Actor rest={rest} /> : <Actors rest={rest} />;
}

/** The pages by the first part of their URL. All but the chat are loaded when they are first opened. */
const pages = {
  chat: ChatPage,
  runs: RunsOrRun,
  actors: ActorsOrActor,
  jobs: lazyPage(async () => (await import('../pages/jobs/jobs-page.tsx')).JobsPage),
  workflows: lazyPage(async () => (await import('../pages/workflows/workflows-page.tsx')).WorkflowsPage),
  memory: lazyPage(async () => (await import('../pages/memory/memory-page.tsx')).MemoryPage),
  skills: lazyPage(async () => (await import('../pages/skills/skills-page.tsx')).SkillsPage),
  tools: lazyPage(async () => (await import('../pages/tools/tools-page.tsx')).ToolsPage),
  usage: lazyPage(async () => (await import('../pages/usage/usage-page.tsx')).UsagePage),
  settings: lazyPage(async () => (await import('../pages/settings/settings-page.tsx')).SettingsPage),
  learn: lazyPage(async () => (await import('../pages/learn/learn-page.tsx')).LearnPage),
  trust: lazyPage(async () => (await import('../pages/trust/trust-page.tsx')).TrustPage),
} satisfies Record<string, ComponentType<PageProps>>;

/** A page, and what it is called. */
export function pageOf(name: string): { title: string; Page: ComponentType<PageProps> } | undefined {
  if (!Object.hasOwn(pages, name)) return undefined;
  const known = name as keyof typeof pages;
  return { title: t[known], Page: pages[known] };
}
