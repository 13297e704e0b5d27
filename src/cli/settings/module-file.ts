import { pathToFileURL } from 'node:url';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { hookModules } from './module-hooks.ts';

/**
 * The default export of a configuration written as a module.
 *
 * @throws DetentError `INVALID_CONFIG`, with the line when the module itself threw.
 */
export async function importConfig(file: string): Promise<unknown> {
  hookModules();
  const restore = muteModuleWarnings();
  let module: { default?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new DetentError(
      'INVALID_CONFIG',
      `${file}${placeIn(file, error)} cannot be loaded: ${messageOf(error)}`,
      { details: { file }, cause: error },
    );
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

/** `:3:14` when the error's stack names a place in the file. */
function placeIn(file: string, error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const at = stack.indexOf(pathToFileURL(file).href);
  const [place] = at < 0 ? [] : (/:\d+(:\d+)?/.exec(stack.slice(at + pathToFileURL(file).href.length)) ?? []);
  return place ?? '';
}

/** Silences Node's advice to set "type" in package.json when a configuration is a module. */
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
