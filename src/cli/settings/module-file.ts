import { pathToFileURL } from 'node:url';
import { callForeign } from '../../engine/foreign-code.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { muteModuleWarnings } from '../trust/mute-warnings.ts';
import type { AgreedCode } from '../trust/require-trust.ts';
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
export function placeIn(file: string, error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const at = stack.indexOf(pathToFileURL(file).href);
  const [place] = at < 0 ? [] : (/:\d+(:\d+)?/.exec(stack.slice(at + pathToFileURL(file).href.length)) ?? []);
  return place ?? '';
}
