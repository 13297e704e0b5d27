import { describe, expect, it, onTestFinished } from 'vitest';
import type { DetentOptions } from '../../../src/index.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { skillFile } from '../../skills/support.ts';
import { answering } from '../../support/cli.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { writeFiles } from '../../support/files.ts';
import { type MockProvider, type MockSlot, textOf } from '../../support/mock-provider.ts';

const find = (...words: string[]): MockSlot => ({ calls: [{ name: 'skill', arguments: { find: words } }] });
const load = (args: object): MockSlot => ({ calls: [{ name: 'skill', arguments: args }] });
const end: MockSlot = { text: 'end' };

const forecast =
  '---\nname: forecast\ndescription: Tells the weather of tomorrow for a city.\n---\nLook up.\n';
const umbrella = '---\nname: umbrella\ndescription: Sells umbrellas for rainy weather.\n---\nSell.\n';
const some = { 'forecast/SKILL.md': forecast, 'umbrella/SKILL.md': umbrella };
const many = {
  ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`s${i}/SKILL.md`, skillFile(`s${i}`)])),
  ...some,
};

/** A Detent with these skills, and a model on a server that says this. */
async function asking(
  skills: Readonly<Record<string, string>>,
  script: readonly MockSlot[],
  options: DetentOptions = {},
) {
  const workspace = await temporaryWorkspace();
  await writeFiles(
    workspace,
    Object.fromEntries(Object.entries(skills).map(([path, text]) => [`skills/${path}`, text])),
  );
  const provider = await answering(...script);
  const detent = createDetent({
    workspace,
    env: { DETENT_HOME: workspace },
    model: 'far/model',
    models: { far: { baseUrl: provider.baseUrl } },
    ...options,
    skills: { bundled: false, ...options.skills },
  });
  onTestFinished(() => detent.close());
  return { detent, provider };
}

interface SentTool {
  function: {
    name: string;
    parameters: { properties: Record<string, { description: string }>; required?: string[] };
  };
}

/** The parameters of the tool that loads skills, as they were sent. */
function sent(provider: MockProvider) {
  const tools = (provider.requests[0]?.body.tools ?? []) as SentTool[];
  return tools.find((tool) => tool.function.name === 'skill')?.function.parameters;
}

const lastText = (provider: MockProvider, at: number) => textOf(provider.requests[at]?.body.messages.at(-1));

describe('a request in another language than the skills, of which there are many', () => {
  it('has its skill found in their language, and then loaded', async () => {
    const { detent, provider } = await asking(many, [
      find('weather forecast', 'will it rain tomorrow'),
      load({ name: 'forecast' }),
      end,
    ]);
    const view = await detent.run('明天奥斯陆会下雨吗').result;
    expect(lastText(provider, 0)).toBe('明天奥斯陆会下雨吗');
    expect(lastText(provider, 1)).toBe(
      'Load one of these by its name, or none:\n' +
        '- forecast: Tells the weather of tomorrow for a city.\n' +
        '- umbrella: Sells umbrellas for rainy weather.',
    );
    expect(lastText(provider, 2)).toMatch(/^\[Skill forecast, follow it/);
    expect(view.status).toBe('done');
    const calls = view.steps.flatMap(({ toolCalls }) => toolCalls);
    expect(calls.map(({ name, status }) => [name, status])).toEqual([
      ['skill', 'done'],
      ['skill', 'done'],
    ]);
    expect(calls[0]?.arguments).toEqual({
      find: ['weather forecast', 'will it rain tomorrow'],
    });
  });

  it('follows nothing by a look, which is in the log as the call that it is', async () => {
    const narrow = forecast.replace('---\nLook', 'allowed-tools: datetime\n---\nLook');
    const { detent } = await asking({ ...many, 'forecast/SKILL.md': narrow }, [find('weather'), end]);
    const view = await detent.run('wie wird das Wetter?').result;
    expect(view.skills?.followed ?? []).toEqual([]);
    const events = await detent.runs.events(view.runId);
    const done = events.filter(({ event }) => event.type === 'tool.done');
    expect(done).toHaveLength(1);
    expect(done[0]?.event).not.toHaveProperty('skill');
    expect(await detent.runs.replay(view.runId)).toMatchObject({ diverged: null });
  });

  it('is told when no skill has the words, and of skills that it may use alone', async () => {
    const { detent, provider } = await asking(many, [find('steam locomotives'), find('weather'), end]);
    await detent.run('hello', { skills: ['s*', 'umbrella'] }).result;
    expect(lastText(provider, 1)).toContain('None of 61 skills has any of these words');
    expect(lastText(provider, 2)).toContain('- umbrella:');
    expect(lastText(provider, 2)).not.toContain('forecast');
  });

  it('finds them by words that are misspelt', async () => {
    const { detent, provider } = await asking(many, [find('umbrelas'), end]);
    await detent.run('hello').result;
    expect(lastText(provider, 1)).toContain('- umbrella:');
  });

  it.each([
    [{ find: ['weather'], name: 'forecast' }],
    [{ find: [] }],
    [{ find: ['a', 'b', 'c', 'd', 'e'] }],
    [{ find: [' '] }],
    [{ file: 'x' }],
    [{}],
  ])('may not be looked for by %j', async (args) => {
    const { detent } = await asking(many, [load(args), end]);
    const { steps } = await detent.run('hello').result;
    expect(steps[0]?.toolCalls[0]).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});

describe('the tool that loads skills', () => {
  it('offers to look for them where not all of them are listed', async () => {
    const { detent, provider } = await asking(many, [end]);
    await detent.run('hello').result;
    const { properties = {}, required = [] } = sent(provider) ?? {};
    expect(properties.find?.description).toContain('one to four ways');
    expect(properties.name?.description).toContain('others are found with find');
    expect(required).toEqual([]);
  });

  it('is small where they are', async () => {
    const { detent, provider } = await asking(some, [end]);
    await detent.run('hello').result;
    const { properties = {}, required } = sent(provider) ?? {};
    expect(Object.keys(properties).sort()).toEqual(['arguments', 'file', 'name']);
    expect(required).toEqual(['name']);
  });

  it('is the same for a skill that the user has named and no model may choose', async () => {
    const mine = skillFile('mine', 'disable-model-invocation: true\n');
    const { detent, provider } = await asking({ 'mine/SKILL.md': mine }, [end]);
    await detent.run('/mine now').result;
    expect(Object.keys(sent(provider)?.properties ?? {}).sort()).toEqual(['arguments', 'file', 'name']);
  });
});
