import { join } from 'node:path';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import { readWhole } from '../../text/files.ts';

export const projectFileName = '.mcp.json';

/** A `.mcp.json`: servers by name, and the data of other programs. */
interface ProjectFile {
  servers: Readonly<Record<string, JsonObject>>;
  /** The whole content, for code that changes the file. */
  content: JsonObject;
  /** The original text, to keep its indentation. */
  text: string;
}

/**
 * Reads the `.mcp.json` of a workspace; null when there is none.
 *
 * @throws DetentError `INVALID_CONFIG` when it cannot be read, or is not an object with an object `mcpServers`.
 */
export async function readProjectFile(workspace: string): Promise<ProjectFile | null> {
  const file = join(workspace, projectFileName);
  let text: string;
  try {
    text = (await readWhole(file)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw invalidFile(file, `cannot be read: ${messageOf(error)}`, error);
  }
  return parseProjectFile(workspace, text);
}

/** @param text of the file. @throws DetentError `INVALID_CONFIG`. */
export function parseProjectFile(workspace: string, text: string): ProjectFile {
  const file = join(workspace, projectFileName);
  const invalid = (why: string, cause?: unknown) => invalidFile(file, why, cause);
  let content: unknown;
  try {
    content = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw invalid(`is not JSON: ${messageOf(error)}`, error);
  }
  if (!isObject(content)) throw invalid('is not an object');
  const { mcpServers = {} } = content;
  if (!isObject(mcpServers) || !Object.values(mcpServers).every(isObject))
    throw invalid('must have an object "mcpServers" with an object for each server');
  return { servers: mcpServers as Record<string, JsonObject>, content: content as JsonObject, text };
}

function invalidFile(file: string, why: string, cause?: unknown): DetentError {
  return new DetentError('INVALID_CONFIG', `${file} ${why}; correct it`, { details: { file }, cause });
}
