import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { substitute, type Variables } from '../../protocol/json.ts';
import type { Config } from '../../runtime/config.ts';
import { readRegularFile } from '../../trust/code.ts';
import type { AgreedCode, ConfigSource } from '../../trust/judge-folder.ts';
import { TextFault } from './text-file.ts';

/** A workspace may have one of these files. */
export const configNames = ['ts', 'mjs', 'js', 'json', 'yaml', 'yml'].map((kind) => `detent.config.${kind}`);

/** The configuration file of a workspace; null when there is none. @throws DetentError `INVALID_CONFIG` when there are several. */
export function findConfig(workspace: string): string | null {
  const files = configNames.map((name) => join(workspace, name)).filter((file) => existsSync(file));
  if (files.length > 1)
    throw new DetentError(
      'INVALID_CONFIG',
      `there are several configuration files: ${files.join(', ')}; keep one`,
    );
  return files[0] ?? null;
}

/**
 * Reads a configuration file once: what a person agreed to is what is used. Executes nothing of it. A file that is not
 * valid JSON or YAML has a `fault`.
 *
 * @throws DetentError `INVALID_CONFIG` when it cannot be read.
 */
export async function readSource(file: string): Promise<ConfigSource> {
  const bytes = readRegularFile(file);
  if (/\.[mc]?[tj]s$/.test(file)) return { path: file, bytes, isModule: true };
  try {
    return { path: file, bytes, isModule: false, value: await parseText(file, bytes.toString('utf8')) };
  } catch (error) {
    if (!DetentError.is(error)) throw error;
    return { path: file, bytes, isModule: false, value: undefined, fault: error };
  }
}

/**
 * The configuration in a file, checked.
 *
 * @param env resolves `${NAME}` in JSON and YAML. Modules read `process.env` themselves.
 * @param agreed what a module may load; null for anything
 * @throws DetentError `INVALID_CONFIG`; `NOT_TRUSTED` when a module loads what was not agreed to.
 */
export async function loadConfig(
  source: ConfigSource,
  env: Variables,
  agreed: AgreedCode | null,
): Promise<Config> {
  const content = await contentOf(source, env, agreed);
  const { validateConfig } = await import('../../runtime/settings.ts');
  try {
    return validateConfig(content, source.path);
  } catch (error) {
    throw await withLines(source, error);
  }
}

/** The error of invalid fields, with the line of each field that is written out in the file. */
async function withLines({ path, bytes }: ConfigSource, error: unknown): Promise<unknown> {
  if (!DetentError.is(error) || !Array.isArray(error.details?.problems)) return error;
  const { lineOfField } = await import('./field-line.ts');
  const text = bytes.toString('utf8');
  const problems = error.details.problems.map((problem: string) => {
    const [field = ''] = problem.split(': ', 1);
    const line = lineOfField(path, text, field);
    return line === null ? problem : `${problem} (line ${line})`;
  });
  return new DetentError('INVALID_CONFIG', `${path} is not valid: ${problems.join('; ')}`, {
    details: error.details,
  });
}

/** As {@link loadConfig}, unchecked. @throws DetentError as that does. */
export async function contentOf(
  source: ConfigSource,
  env: Variables,
  agreed: AgreedCode | null,
): Promise<unknown> {
  if (source.isModule) return (await import('./module-file.ts')).importConfig(source.path, agreed);
  if (source.fault) throw source.fault;
  const { value, problems } = substitute(source.value, env);
  if (problems.length === 0) return value;
  const { path } = source;
  throw new DetentError('INVALID_CONFIG', `${path} is not valid: ${problems.join('; ')}`, {
    details: { where: path, problems },
  });
}

async function parseText(file: string, content: string): Promise<unknown> {
  const isJson = file.endsWith('.json');
  const text = content.replace(/^\ufeff/, '');
  try {
    if (isJson) return (await import('./read-json.ts')).readJson(text);
    return (await import('./read-yaml.ts')).readYaml(text);
  } catch (error) {
    if (!(error instanceof TextFault)) throw error;
    const place = error.place ? `:${error.place.line}:${error.place.column}` : '';
    throw new DetentError(
      'INVALID_CONFIG',
      `${file}${place} is not ${isJson ? 'JSON' : 'YAML'}: ${messageOf(error)}`,
      { details: { file }, cause: error },
    );
  }
}
