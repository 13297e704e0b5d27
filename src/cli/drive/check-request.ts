import type { LimitsConfig } from '../../protocol/config.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunRequest } from '../../runtime/config.ts';
import { checkRequest, chosenModel, modelOf } from '../../runtime/requests.ts';
import { toolMatcher } from '../../tools/registry.ts';
import type { Port } from '../port/port.ts';
import { usage } from '../settings/flags.ts';
import type { CliOptions } from '../settings/load-options.ts';
import type { Io } from '../terminal/io.ts';

/** What a request comes to, before it is made. */
interface CheckedFlags {
  limits: LimitsConfig;
  approve: NonNullable<RunRequest['approve']>;
  /** For people: a gateway chooses the model itself, when none is named. */
  model: string;
  hasOutput: boolean;
}

/**
 * Checks a request before the database is opened or created. A gateway checks requests itself.
 *
 * @throws DetentError `USAGE`, and as the check of every run does.
 */
export function checkRequestFlags(options: CliOptions, request: RunRequest): CheckedFlags {
  if (options.server) {
    const { approve = 'ask', model = `the model of ${options.server.url}`, output } = request;
    return { limits: {}, approve, model, hasOutput: output !== undefined };
  }
  const isUnnamed = chosenModel(request, options) === undefined;
  if (request.baseUrl !== undefined && isUnnamed && modelOf(request, options) === 'demo/demo')
    throw usage('--base-url needs the name of a model there: --model any/NAME');
  try {
    const { limits, start } = checkRequest(request, options);
    const { approve, model, output } = start.options;
    return { limits, approve, model, hasOutput: output !== undefined };
  } catch (error) {
    // The flag, not the configuration, asked for a price.
    const isAsked = DetentError.is(error) && error.code === 'PRICE_MISSING' && request.limits?.maxCostUsd;
    throw isAsked
      ? new DetentError(error.code, `--max-cost: ${error.message}`, { details: error.details })
      : error;
  }
}

/** Warns of unknown names in --skills and in the configuration, and of unusable skill files. Returns the names of the skills that a person can use. */
export async function warnOfBadSkills(
  { ask }: Port,
  { skills: asked = [] }: RunRequest,
  io: Io,
): Promise<string[]> {
  const { skills, bad, unknown } = (await ask('skill.list', {})).skills;
  const known = skills.map(({ name }) => name);
  for (const name of asked)
    if (!known.some(toolMatcher([name])))
      io.say(`detent: --skills: there is no skill "${name}"; there are ${known.join(', ') || 'none'}`);
  for (const { field, name, nearest } of unknown)
    io.say(`detent: ${field}: there is no skill "${name}"${nearest ? `; did you mean "${nearest}"?` : ''}`);
  const files = bad.length === 1 ? bad[0]?.path : `${bad.length} files`;
  if (bad.length > 0) io.say(`detent: ${files} cannot be used as a skill; "detent skills list" says why`);
  return skills.flatMap(({ name, forPeople, off }) => (forPeople && off === null ? [name] : []));
}

/** Warns of unknown names in --tools. */
export async function warnOfUnknownTools({ ask }: Port, { tools }: RunRequest, io: Io): Promise<void> {
  if (!tools) return;
  const { tools: all } = await ask('tool.list', {});
  const known = all.filter(({ disabled }) => disabled === null).map(({ name }) => name);
  for (const name of tools)
    if (!name.startsWith('@') && !known.some(toolMatcher([name])))
      io.say(`detent: --tools: there is no tool "${name}"; there are ${known.join(', ')}`);
}
