import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { fakeClock } from '../../../src/testing/index.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { inSizes } from '../../support/size.ts';
import { chartNames } from '../charts.ts';
import { documentation } from './documentation.ts';
import { DurableLife, type World } from './durable-life.ts';
import { features } from './features.ts';
import { plainCourse, type Scenario } from './scenario.ts';
import { xstateExamples } from './xstate-examples.ts';

const scenarios = [...xstateExamples, ...documentation, ...features];
const counts = { transitions: 0, kills: 0, boundaries: 0 };

/** The actions of the charts print. */
const printed: string[] = [];

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(JSON.stringify(words)));
  return () => vi.restoreAllMocks();
});

const chartsIn = (of: readonly Scenario[]) => new Set(of.map(({ name }) => name.split(',')[0])).size;

afterAll(() =>
  console.log(
    `${chartsIn(xstateExamples)} charts of ${chartNames.length} fixtures, ${chartsIn([...documentation, ...features])} others, ` +
      `in ${scenarios.length} courses: ${counts.transitions} transitions as createActor makes them, ` +
      `${counts.kills} kills between them, ${counts.boundaries} before or right after a commit, 0 differences`,
  ),
);

async function newWorld(): Promise<World> {
  const store = openInMemory();
  onTestFinished(() => store.close());
  return { store, clock: fakeClock(), workspace: await temporaryWorkspace() };
}

async function opened(scenario: Scenario, world: World, point?: number): Promise<DurableLife> {
  const life = new DurableLife(scenario, world, point);
  onTestFinished(() => life.die());
  await life.open();
  return life;
}

describe.each(scenarios)('$name', (scenario) => {
  const plainly = async () => {
    printed.length = 0;
    const seen = await plainCourse(scenario, printed);
    printed.length = 0;
    return seen;
  };

  it('does as createActor does, killed and resumed after each transition', async () => {
    const expected = await plainly();
    const world = await newWorld();
    let life = await opened(scenario, world);
    const reaches = async (i: number) => {
      const wanted = JSON.stringify(sorted(expected[i]?.standing));
      await life.until(async () => JSON.stringify(sorted(await life.standing())) === wanted);
      expect(await life.standing()).toEqual(expected[i]?.standing);
      expect(printed).toEqual(expected[i]?.printed);
    };
    await life.start();
    await reaches(0);
    for (const [i, happening] of scenario.course.entries()) {
      await (scenario.isClosed ? life.close() : life.die());
      life = await opened(scenario, world);
      await reaches(i);
      await life.take(happening, `e${i}`);
      await reaches(i + 1);
      counts.transitions++;
      counts.kills++;
    }
  });

  it('comes to the same end, killed before or right after a commit', async () => {
    const expected = await plainly();
    const stride = inSizes({ usual: 97, deep: 40, full: 1 });
    for (let point = 1; ; point += stride) {
      printed.length = 0;
      const world = await newWorld();
      const life = await opened(scenario, world, point).catch(() => null);
      const isOver = await endures(scenario, world, life, expected);
      if (isOver) break;
      counts.boundaries++;
    }
  });
});

type Course = Awaited<ReturnType<typeof plainCourse>>;

/** Goes on in a second life when the first one dies. True when it did not die. */
async function endures(
  scenario: Scenario,
  world: World,
  first: DurableLife | null,
  expected: Course,
): Promise<boolean> {
  let life = first ?? (await opened(scenario, world));
  const stands = async () => JSON.stringify(sorted(await life.standing()));
  const wantedAt = (i: number) => JSON.stringify(sorted(i < 0 ? null : expected[i]?.standing));
  for (let i = 0; i < expected.length; i++) {
    const happening = scenario.course[i - 1];
    const act = () => (happening ? life.take(happening, `e${i}`) : life.start());
    const key = wantedAt(i);
    await act().catch((error) => {
      if (!life.isDead) throw error;
    });
    await life.until(async () => (await stands()) === key);
    if (life.isDead) {
      await life.die();
      life = await opened(scenario, world);
      await world.clock.advance(0);
      // All of it, or nothing.
      expect([key, wantedAt(i - 1)]).toContain(await stands());
      // With its key, an event that has been taken is a duplicate.
      if (!happening || 'send' in happening || (await stands()) !== key) await act();
      await life.until(async () => (await stands()) === key);
    }
    expect(await stands()).toBe(key);
  }
  const last = expected.at(-1)?.printed ?? [];
  // An action may run twice, but none is left out.
  expect(isWithin(last, printed)).toBe(true);
  expect(new Set(printed)).toEqual(new Set(last));
  const isAlive = life === first;
  await life.die();
  return isAlive;
}

/** Whether all lines are there, in their order. */
function isWithin(lines: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const line of all) if (line === lines[at]) at++;
  return at === lines.length;
}

/** With keys in one order, to be compared as text. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
}
