import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Config, DetentOptions } from '../options.ts';
import { checkConfig } from '../protocol/config.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import { type Flags, text } from './parse.ts';

const names = ['detent.config.ts', 'detent.config.js', 'detent.config.json'];

/**
 * What the command line and the workspace's configuration file make together.
 *
 * @throws DetentError `INVALID_CONFIG`, `WORKSPACE_NOT_FOUND`.
 */
export async function loadOptions(flags: Flags): Promise<DetentOptions> {
  const workspace = resolve(text(flags, 'workspace') ?? '.');
  if (!existsSync(workspace))
    throw new DetentError(
      'NOT_FOUND',
      `workspace ${workspace} does not exist; make the folder or name another one`,
    );
  const config = await loadConfig(workspace);
  const db = text(flags, 'db');
  const database = { ...config.database, ...(db !== undefined && { file: resolve(db) }) };
  const model = process.env.DETENT_MODEL;
  return { ...config, workspace, database, ...(model && { model }) };
}

async function loadConfig(workspace: string): Promise<Config> {
  const files = names.map((name) => resolve(workspace, name)).filter((file) => existsSync(file));
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
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new DetentError('INVALID_CONFIG', `${file} is not JSON: ${messageOf(error)}`, {
      details: { file },
    });
  }
}

async function importConfig(file: string): Promise<unknown> {
  resolveOwnName();
  try {
    const module: { default?: unknown } = await import(pathToFileURL(file).href);
    if (module.default === undefined)
      throw new Error('it has no default export; write: export default defineConfig({ … })');
    return module.default;
  } catch (error) {
    if (DetentError.is(error)) throw error;
    throw new DetentError('INVALID_CONFIG', `${file} cannot be loaded: ${messageOf(error)}`, {
      details: { file },
      cause: error,
    });
  }
}

/** Lets `import 'detent'` in a configuration mean this very program, wherever the file lies and whatever is installed. */
function resolveOwnName(): void {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const own: Readonly<Record<string, string>> = {
    detent: new URL(`../index.${extension}`, import.meta.url).href,
    'detent/testing': new URL(`../testing/index.${extension}`, import.meta.url).href,
    zod: import.meta.resolve('zod'),
  };
  registerHooks({
    resolve(specifier, context, next) {
      const url = own[specifier];
      // A configuration in a project that has its own zod gets that one.
      if (url === undefined || (specifier === 'zod' && resolves(() => next(specifier, context))))
        return next(specifier, context);
      return { url, format: extension === 'ts' ? 'module-typescript' : 'module', shortCircuit: true };
    },
  });
}

function resolves(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
