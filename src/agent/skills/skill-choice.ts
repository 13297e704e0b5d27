import { isObject, type JsonObject, parseJson } from '../../protocol/json.ts';
import {
  beforeSkill,
  candidatesHeading,
  cardLine,
  findArgument,
  maxCandidates,
  type SkillCard,
  type SkillSource,
  skillToolName,
  type ToolSpec,
} from '../../protocol/ports.ts';
import type { PromptJob, RunCache, SkillChoice } from '../effect/run-effect.ts';
import type { Store } from '../effect/statements.ts';
import type { Block } from '../messages/blocks.ts';
import type { AgentServices } from '../services.ts';

/** Up to this many skills, with this many characters of descriptions, are all listed; of more, only the best. */
const maxListed = 50;
const maxListedChars = 16_000;
/** Only messages and take-overs come before the first fact of a run. */
const maxEarlyEvents = 100;

/** The skills in a prompt. */
interface ShownSkills {
  tools: readonly ToolSpec[];
  /** Placed before the messages of the run. */
  start: readonly string[];
}

/**
 * Shows a model its skills. A small catalogue is listed whole, in the tool that loads skills. Of a large one, the best
 * matches come before the request, and the tool lists the other names. The choice is made once per run.
 */
export async function showSkills(
  { skills: source, store, redact }: Pick<AgentServices, 'skills' | 'store' | 'redact'>,
  job: PromptJob,
  { tools, blocks }: { tools: readonly ToolSpec[]; blocks: readonly Block[] },
): Promise<ShownSkills> {
  const { options, cache } = job;
  const spec = tools.find(({ name }) => name === skillToolName);
  if (!spec) return { tools, start: [] };
  await source?.ready();
  const cards = source?.cards(options.skills ?? null) ?? [];
  if (!source || cards.length === 0) return { tools: withoutList(job, tools, spec), start: [] };
  const { mode, scores } = await chosen(source, store, job, { cards, blocks });
  const text = redact(textFor(cache, mode, cards));
  const best =
    mode === 'listed' ? [] : scores.flatMap(({ name }) => cards.filter((card) => card.name === name));
  return {
    tools: tools.map((tool) => (tool === spec ? withList(cache, spec, mode, text) : tool)),
    start: best.length === 0 ? [] : [redact([candidatesHeading, ...best.map(cardLine)].join('\n'))],
  };
}

/** A skill that the user named may have files to load, even when there are no skills to choose from. */
function withoutList(
  { options, cache }: PromptJob,
  tools: readonly ToolSpec[],
  spec: ToolSpec,
): readonly ToolSpec[] {
  if (!options.follows) return tools.filter((tool) => tool !== spec);
  return tools.map((tool) => (tool === spec ? withList(cache, spec, 'listed', 'The skill') : tool));
}

/** The choice stored in the run's log; null when the run was offered no skills. */
export async function choiceOf(store: Store<'listEvents'>, run: { pk: number }): Promise<SkillChoice | null> {
  const early = { run: run.pk, after: 0, limit: maxEarlyEvents };
  for (const { body } of await store.query('listEvents', early)) {
    if (!body.includes('"skills"')) continue;
    const event = parseJson(body);
    if (isObject(event) && isObject(event.skills)) return event.skills as SkillChoice;
  }
  return null;
}

async function chosen(
  source: SkillSource,
  store: Store,
  job: PromptJob,
  { cards, blocks }: { cards: readonly SkillCard[]; blocks: readonly Block[] },
): Promise<SkillChoice> {
  const { cache, context, notes, run } = job;
  if (cache.skillChoice) return cache.skillChoice;
  const isFirst = context.steps === 0;
  const made = isFirst ? null : await choiceOf(store, run);
  const choice = made ?? choose(source, cards, askedIn(job, blocks));
  if (isFirst) notes.skillChoice = choice;
  cache.skillChoice = choice;
  return choice;
}

/** Ranks the skills for an input, and says how a prompt shows them. */
export function choose(
  source: Pick<SkillSource, 'rank'>,
  cards: readonly SkillCard[],
  input: string,
): SkillChoice {
  const chars = cards.reduce((sum, { name, description }) => sum + name.length + description.length, 0);
  const mode = cards.length <= maxListed && chars <= maxListedChars ? 'listed' : 'ranked';
  return { of: cards.length, mode, scores: source.rank(input, cards).slice(0, maxCandidates) };
}

/** The first message of the run. */
function askedIn({ run }: PromptJob, blocks: readonly Block[]): string {
  const first = blocks.find((block) => block.kind === 'user' && block.run === run.pk);
  return first?.kind === 'user' ? beforeSkill(first.text) : '';
}

/** The description of the argument that names a skill; cached per run. */
function textFor(cache: RunCache, mode: SkillChoice['mode'], cards: readonly SkillCard[]): string {
  if (cache.skillList?.cards === cards) return cache.skillList.text;
  const text = mode === 'listed' ? [listed, ...cards.map(cardLine)].join('\n') : ranked(cards);
  cache.skillList = { cards, text };
  return text;
}

const listed = 'The skill, one of these:';
const maxNameChars = 6_000;

/** Lists all names: they are short, and a request in another language may share only a name with a skill. */
function ranked(cards: readonly SkillCard[]): string {
  const names = cards.map(({ name }) => name).join(', ');
  const known =
    names.length <= maxNameChars ? `one of these: ${names}.` : 'one that you or the user can name.';
  return `The skill, ${known} Those that may fit best are described before the request; others are found with ${findArgument}.`;
}

/**
 * The tool with the list of skills in its argument's description, because OpenAI limits a tool's own description to 1,024
 * characters (`string_above_max_length`). When the list is complete, the tool has no search argument. Returns the same
 * object for the same text, so that its token estimate stays cached.
 */
function withList(cache: RunCache, spec: ToolSpec, mode: SkillChoice['mode'], text: string): ToolSpec {
  const last = cache.skillTool;
  if (last?.plain === spec && last.text === text) return last.spec;
  const { properties } = spec.parameters;
  const { name, [findArgument]: find, ...others } = isObject(properties) ? properties : {};
  const fields = {
    name: { ...(isObject(name) ? name : {}), description: text },
    ...others,
    ...(mode === 'ranked' && { [findArgument]: find }),
  } as JsonObject;
  const made: ToolSpec = {
    ...spec,
    parameters: {
      ...spec.parameters,
      properties: fields,
      ...(mode === 'listed' && { required: ['name'] }),
    },
  };
  cache.skillTool = { plain: spec, text, spec: made };
  return made;
}
