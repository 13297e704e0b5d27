import { dirname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { callForeign } from '../../engine/foreign-code.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isProgram, muteModuleWarnings } from '../../trust/code.ts';
import type { AgreedCode } from '../../trust/judge-folder.ts';
import { hookModules } from './module-hooks.ts';

/**
 * The default export of a configuration written as a module.
 *
 * @param agreed what it may load; null for anything
 * @throws DetentError `INVALID_CONFIG`, with the line when the module itself threw; `NOT_TRUSTED`.
 */
export async function importConfig(file: string, agreed: AgreedCode | null): Promise<unknown> {
  hookModules(agreed);
  const restore = muteModuleWarnings();
  let module: { default?: unknown };
  try {
    module = await callForeign(file, () => import(pathToFileURL(file).href));
  } catch (error) {
    if (DetentError.is(error) && error.code === 'NOT_TRUSTED') throw error;
    const { path = file, at = '' } = placeOf(error) ?? {};
    const words =
      path === file
        ? `${file}${at} cannot be loaded: ${messageOf(error)}`
        : `${file} cannot be loaded: ${messageOf(error)} (at ${relative(dirname(file), path)}${at})`;
    throw new DetentError('INVALID_CONFIG', words, { details: { file }, cause: error });
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

/** Where code of the user threw; null when the stack names no file of theirs. `at` is `:3:14`. */
export function placeOf(error: unknown): { path: string; at: string } | null {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  // Node names the place of a syntax error of TypeScript before the message, by its path.
  const [, file, line = ''] = /^(\/.*|[A-Za-z]:[\\/].*)(:\d+)\n/.exec(stack) ?? [];
  if (file !== undefined) return { path: file, at: line };
  const places = stack.matchAll(/(file:\/\/[^\s)]+?)((?::\d+){1,2})(?=[)\s]|$)/g);
  for (const [, url = '', at = ''] of places) {
    const path = fileURLToPath(url);
    if (!isProgram(path) && !/[\\/]node_modules[\\/]/.test(path)) return { path, at };
  }
  return null;
}
