import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Config } from '../options.ts';
import { checkConfig } from '../protocol/config.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import { hookModules } from './module-hooks.ts';

const names = ['detent.config.ts', 'detent.config.js', 'detent.config.json'];

/** The configuration of a workspace, checked; `{}` when there is none. @throws DetentError `INVALID_CONFIG`. */
export async function loadConfig(workspace: string): Promise<Config> {
  const files = names.map((name) => join(workspace, name)).filter((file) => existsSync(file));
  const [file] = files;
  if (file === undefined) return {};
  if (files.length > 1)
    throw new DetentError(
      'INVALID_CONFIG',
      `there are several configuration files: ${files.join(', ')}; keep one`,
    );
  const config = file.endsWith('.json') ? readJson(file) : await importConfig(file);
  checkConfig(config, file);
  return config as Config;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw invalid(file, 'is not JSON', error);
  }
}

async function importConfig(file: string): Promise<unknown> {
  hookModules();
  const restore = muteModuleWarnings();
  let module: { default?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw invalid(file, 'cannot be loaded', error);
  } finally {
    restore();
  }
  if (module.default === undefined)
    throw new DetentError(
      'INVALID_CONFIG',
      `${file} has no default export; write: export default defineConfig({ … })`,
      { details: { file } },
    );
  return module.default;
}

function invalid(file: string, what: string, error: unknown): DetentError {
  const where = placeIn(file, error);
  return new DetentError('INVALID_CONFIG', `${file}${where} ${what}: ${messageOf(error)}`, {
    details: { file },
    cause: error,
  });
}

/** `:3:14` when the error's stack names a place in the file. */
function placeIn(file: string, error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const at = stack.indexOf(pathToFileURL(file).href);
  const [place] = at < 0 ? [] : (/:\d+(:\d+)?/.exec(stack.slice(at + pathToFileURL(file).href.length)) ?? []);
  return place ?? '';
}

/** Node tells people to change their package.json when a configuration is a module and that does not say so. */
function muteModuleWarnings(): () => void {
  const { emitWarning } = process;
  const quiet = (warning: unknown, ...rest: unknown[]) => {
    const [options] = rest;
    const code =
      typeof options === 'object' && options !== null ? (options as { code?: unknown }).code : rest[1];
    const type =
      typeof options === 'object' && options !== null ? (options as { type?: unknown }).type : options;
    if (code === 'MODULE_TYPELESS_PACKAGE_JSON' || type === 'ExperimentalWarning') return;
    (emitWarning as (...args: unknown[]) => void)(warning, ...rest);
  };
  process.emitWarning = quiet as typeof process.emitWarning;
  return () => {
    process.emitWarning = emitWarning;
  };
}
