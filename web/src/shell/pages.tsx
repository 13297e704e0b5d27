import type { ComponentType } from 'preact';
import type { PageProps } from '../base/page-props.ts';
import { ChatPage } from '../pages/chat/chat-page.tsx';
import { lazyPage } from './lazy-page.tsx';
import { t } from './words.ts';

interface PageEntry {
  title(): string;
  Page: ComponentType<PageProps>;
}

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

/** The page of a URL's first part. All but the chat are loaded when they are first opened. */
const pages: Readonly<Record<string, PageEntry>> = {
  chat: { title: () => t.chat, Page: ChatPage },
  runs: { title: () => t.runs, Page: RunsOrRun },
  actors: { title: () => t.actors, Page: ActorsOrActor },
  jobs: {
    title: () => t.jobs,
    Page: lazyPage(async () => (await import('../pages/jobs/jobs-page.tsx')).JobsPage),
  },
  workflows: {
    title: () => t.workflows,
    Page: lazyPage(async () => (await import('../pages/workflows/workflows-page.tsx')).WorkflowsPage),
  },
  memory: {
    title: () => t.memory,
    Page: lazyPage(async () => (await import('../pages/memory/memory-page.tsx')).MemoryPage),
  },
  skills: {
    title: () => t.skills,
    Page: lazyPage(async () => (await import('../pages/skills/skills-page.tsx')).SkillsPage),
  },
  tools: {
    title: () => t.tools,
    Page: lazyPage(async () => (await import('../pages/tools/tools-page.tsx')).ToolsPage),
  },
  usage: {
    title: () => t.usage,
    Page: lazyPage(async () => (await import('../pages/usage/usage-page.tsx')).UsagePage),
  },
  settings: {
    title: () => t.settings,
    Page: lazyPage(async () => (await import('../pages/settings/settings-page.tsx')).SettingsPage),
  },
  learn: {
    title: () => t.learn,
    Page: lazyPage(async () => (await import('../pages/learn/learn-page.tsx')).LearnPage),
  },
  trust: {
    title: () => t.trust,
    Page: lazyPage(async () => (await import('../pages/trust/trust-page.tsx')).TrustPage),
  },
};

export function pageOf(name: string): PageEntry | undefined {
  return Object.hasOwn(pages, name) ? pages[name] : undefined;
}
