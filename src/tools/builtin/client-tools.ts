import { DetentError, describeThrown } from '../../protocol/error.ts';
import { isNestedTooDeep, isObject, type JsonObject, parseArguments, shown } from '../../protocol/json.ts';
import type { Toolbox, ToolSpec } from '../../protocol/ports.ts';
import { type ClientTool, clientPerforms } from '../../protocol/tool.ts';
import { isDeeper } from '../output/read-json.ts';
import { type PatternChars, schemaProblem } from '../output/schema-problem.ts';
import { isToolAllowed } from '../policy/skill-rules.ts';

const validName = /^[A-Za-z0-9_-]{1,64}$/;
/** The prefix of tools of MCP servers, which may list them later. */
const serversOwn = 'mcp__';
const maxTools = 128;
/** Characters of all of them as JSON: they are in every model call of the run, and in its row. */
const maxChars = 262_144;
const maxLevels = 100;
const fields: readonly string[] = ['name', 'description', 'parameters'] satisfies (keyof ClientTool)[];

/**
 * The specs of a client's tools for the model, sorted by name. They are copies.
 *
 * @param toolboxes whose names they must not have, those of tools that no run may use among them
 * @throws DetentError `INVALID_CLIENT_TOOL`.
 */
export function clientToolSpecs(
  given: readonly ClientTool[],
  toolboxes: readonly Pick<Toolbox, 'views'>[],
): ToolSpec[] {
  if (given.length === 0) return [];
  if (given.length > maxTools) throw invalidClientTool(`a run has at most ${maxTools} tools of its caller`);
  const taken = new Set(toolboxes.flatMap((toolbox) => toolbox.views().map(({ name }) => name)));
  const patterns = { count: 0 };
  const specs = given.map((tool) => specOf(tool, taken, patterns));
  const chars = JSON.stringify(specs).length;
  if (chars > maxChars)
    throw invalidClientTool(
      `the tools of the caller have ${chars} characters as JSON, and ${maxChars} is the maximum; describe less`,
    );
  return specs.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param taken gets the name. */
function specOf(tool: ClientTool, taken: Set<string>, patterns: PatternChars): ToolSpec {
  if (!isObject(tool)) throw invalidClientTool(`a tool of the caller is an object, not ${shown(tool)}`);
  const { name, description = '', parameters = { type: 'object', properties: {} } } = tool;
  const unknown = Object.keys(tool).find((field) => !fields.includes(field));
  if (unknown !== undefined) throw invalidClientTool(`a tool of the caller has no field ${shown(unknown)}`);
  if (typeof name !== 'string' || !validName.test(name))
    throw invalidClientTool(`${shown(name)} is not a name for a tool: 1 to 64 letters, digits, "_" or "-"`);
  if (name.startsWith(serversOwn))
    throw invalidClientTool(
      `tool "${name}" of the caller: names that begin with "${serversOwn}" are for MCP servers`,
    );
  if (taken.has(name))
    throw invalidClientTool(
      `tool "${name}" of the caller: there is a tool of this name already; rename the one of the caller`,
      name,
    );
  taken.add(name);
  if (typeof description !== 'string')
    throw invalidClientTool(
      `tool "${name}" of the caller: its description is a text, not ${shown(description)}`,
    );
  return { name, description, parameters: parametersOf(name, parameters, patterns) };
}

function parametersOf(name: string, parameters: unknown, patterns: PatternChars): JsonObject {
  const wrong = (why: string) =>
    invalidClientTool(`tool "${name}" of the caller: its parameters are not usable: ${why}`);
  if (!isObject(parameters) || parameters.type !== 'object')
    throw wrong('they must be a JSON Schema of type object');
  if (isDeeper(parameters, maxLevels)) throw wrong(`they have more than ${maxLevels} levels; nest less`);
  const { $schema: _, ...schema } = copyOf(parameters, wrong);
  const problem = schemaProblem(schema, patterns);
  if (problem !== null) throw wrong(problem);
  return schema;
}

function copyOf(parameters: object, wrong: (why: string) => DetentError): JsonObject {
  try {
    return JSON.parse(JSON.stringify(parameters));
  } catch (error) {
    throw wrong(`they cannot be shown as JSON (${describeThrown(error)})`);
  }
}

function invalidClientTool(message: string, name?: string): DetentError {
  return new DetentError('INVALID_CLIENT_TOOL', message, {
    details: { field: 'clientTools', ...(name && { name }) },
  });
}

/**
 * The toolbox of a run whose caller performs some tools. No policy asks about their calls, because they do nothing here; a
 * followed skill may exclude them, like any tool.
 *
 * Their arguments are not checked against the schema: that is the client's own, and its patterns could run for ever.
 */
export function withClientTools(toolbox: Toolbox, specs: readonly ToolSpec[]): Toolbox {
  const names = new Set(specs.map(({ name }) => name));
  return {
    ...toolbox,
    specs(allowed, skills = []) {
      const own = toolbox.specs(allowed, skills).filter(({ name }) => !names.has(name));
      const added = specs.filter(({ name }) => isToolAllowed(name, skills));
      return [...own, ...added].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async plan(name, raw, ctx) {
      if (!names.has(name)) return toolbox.plan(name, raw, ctx);
      const { skills = [] } = ctx;
      if (!isToolAllowed(name, skills))
        return refuse('TOOL_NOT_ALLOWED', `Tool "${name}" may not be used in this run.`, 'allow-list');
      const isUsable = !isNestedTooDeep(raw) && isObject(parseArguments(raw));
      if (isUsable) return { gate: 'ask', sideEffect: 'readonly', why: clientPerforms, client: true };
      const text = `Invalid arguments for ${name}: they are one JSON object, not nested too deeply.`;
      return refuse('INVALID_ARGUMENTS', text, 'arguments');
    },
    isUntrusted: (name, raw) => names.has(name) || toolbox.isUntrusted(name, raw),
  };
}

function refuse(code: string, text: string, why: string) {
  return { gate: 'refuse' as const, code, text, why };
}
