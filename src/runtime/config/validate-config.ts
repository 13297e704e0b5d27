import { fullModelName, parseModelName } from '../../models/catalogue.ts';
import { checkConfig } from '../../protocol/config.ts';
import { DetentError, invalidConfig, messageOf } from '../../protocol/error.ts';
import type { OutputSchema } from '../../protocol/ports.ts';
import { didYouMean } from '../../text/wording.ts';
import { builtinToolsets, expandTools, optionalTools, outputJsonSchema } from '../../tools/registry.ts';
import type { Config } from './detent-options.ts';
import { findBudget } from './find-budget.ts';

/**
 * Checks a configuration: every field, that the models and tool sets it names exist, and its output schemas.
 *
 * @param where the name of the source in the error message: a file, or `createDetent`.
 * @throws DetentError `INVALID_CONFIG`, naming every bad field by its path.
 */
export function validateConfig(config: unknown, where: string): Config {
  checkConfig(config, where);
  const checked = config as Config;
  const problems = references(checked).flatMap(([path, resolve]) => {
    try {
      resolve();
      return [];
    } catch (error) {
      return [`${path}: ${messageOf(error)}`];
    }
  });
  if (problems.length === 0) return checked;
  throw invalidConfig(where, problems);
}

/** The fields that name something, or have a schema, each with the function that throws if it is wrong. */
function references({
  model,
  fallbacks = [],
  models = {},
  tools = {},
  agents = {},
  budgets = {},
}: Config): [string, () => unknown][] {
  const named = (path: string, name: string | undefined): [string, () => unknown][] =>
    name === undefined ? [] : [[path, () => parseModelName(fullModelName(name, models), models)]];
  const known = knownTools((tools.define ?? []).map(({ name }) => name));
  const listed = (path: string, names: string[] | undefined): [string, () => unknown][] =>
    names === undefined ? [] : [[path, () => checkTools(expandTools(names, tools.sets), known)]];
  const shared = (path: string, name: string | undefined): [string, () => unknown][] =>
    name === undefined ? [] : [[path, () => findBudget(name, budgets)]];
  const typed = (path: string, output: object | undefined): [string, () => unknown][] =>
    output === undefined ? [] : [[path, () => outputJsonSchema(output as OutputSchema)]];
  return [
    ...named('model', model),
    ...fallbacks.flatMap((name, i) => named(`fallbacks.${i}`, name)),
    ...listed('tools.allowed', tools.allowed),
    ...listed('tools.disabled', tools.disabled),
    ...Object.entries(agents).flatMap(([name, agent]) => [
      ...named(`agents.${name}.model`, agent.model),
      ...(agent.fallbacks ?? []).flatMap((fallback, i) => named(`agents.${name}.fallbacks.${i}`, fallback)),
      ...listed(`agents.${name}.tools`, agent.tools),
      ...shared(`agents.${name}.budget`, agent.budget),
      ...typed(`agents.${name}.output`, agent.output),
    ]),
    ...Object.keys(budgets).flatMap((name) => shared(`budgets.${name}`, name)),
  ];
}

/** The names of all tools that are known before a server of tools is asked. */
function knownTools(own: readonly string[]): string[] {
  const builtin = Object.values(builtinToolsets).flat();
  return [...new Set([...own, ...builtin, ...optionalTools])].filter((name) => !name.includes('*'));
}

/** Patterns, and tools of MCP servers, may name what does not exist yet. @throws DetentError `UNKNOWN_TOOL`. */
function checkTools(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find(
    (name) => !known.includes(name) && !name.includes('*') && !name.startsWith('mcp__'),
  );
  if (unknown === undefined) return;
  throw new DetentError(
    'UNKNOWN_TOOL',
    `there is no tool "${unknown}"${didYouMean(unknown, known)}; there are ${known.join(', ')}`,
    { details: { name: unknown, known } },
  );
}
