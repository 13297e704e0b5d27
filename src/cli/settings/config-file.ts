import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { substitute, type Variables } from '../../protocol/substitute.ts';
import type { Config } from '../../runtime/config/options.ts';
import { validateConfig } from '../../runtime/config/validate-config.ts';
import { importConfig } from './module-file.ts';
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
 * The configuration in a file, checked.
 *
 * @param env resolves `${NAME}` in JSON and YAML. Modules read `process.env` themselves.
 * @throws DetentError `INVALID_CONFIG`.
 */
export async function loadConfig(file: string, env: Variables): Promise<Config> {
  return validateConfig(await readConfig(file, env), file);
}

/** As {@link loadConfig}, unchecked. @throws DetentError `INVALID_CONFIG` when it cannot be read. */
export async function readConfig(file: string, env: Variables): Promise<unknown> {
  if (/\.[mc]?[tj]s$/.test(file)) return importConfig(file);
  const { value, problems } = substitute(await readText(file), env);
  if (problems.length === 0) return value;
  throw new DetentError('INVALID_CONFIG', `${file} is not valid: ${problems.join('; ')}`, {
    details: { where: file, problems },
  });
}

async function readText(file: string): Promise<unknown> {
  const isJson = file.endsWith('.json');
  try {
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
    if (isJson) return (await import('./read-json.ts')).readJson(text);
    return (await import('./read-yaml.ts')).readYaml(text);
  } catch (error) {
    if (!(error instanceof TextFault))
      throw new DetentError('INVALID_CONFIG', `${file} cannot be read: ${messageOf(error)}`, {
        details: { file },
        cause: error,
      });
    const place = error.place ? `:${error.place.line}:${error.place.column}` : '';
    throw new DetentError(
      'INVALID_CONFIG',
      `${file}${place} is not ${isJson ? 'JSON' : 'YAML'}: ${messageOf(error)}`,
      { details: { file }, cause: error },
    );
  }
}
