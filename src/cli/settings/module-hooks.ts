import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Hooks are the process's, and stay: a configuration may import something later. A second set would ask the first. */
let isHooked = false;

/**
 * Lets a configuration say `import … from 'detent'` and mean this very program, wherever the file lies and whatever is
 * installed; and lets it be a module in a package that is not (`npm init` writes `"type": "commonjs"`).
 *
 * @see https://nodejs.org/docs/latest-v24.x/api/module.html#moduleregisterhooksoptions
 */
export function hookModules(): void {
  if (isHooked) return;
  isHooked = true;
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const own: Readonly<Record<string, string>> = {
    detent: new URL(`../../index.${extension}`, import.meta.url).href,
    'detent/testing': new URL(`../../testing/index.${extension}`, import.meta.url).href,
    'detent/machines': new URL(`../../../machines/run.machine.${extension}`, import.meta.url).href,
    zod: import.meta.resolve('zod'),
  };
  registerHooks({
    resolve(specifier, context, next) {
      const url = Object.hasOwn(own, specifier) ? own[specifier] : undefined;
      // A configuration in a project that has its own zod gets that one.
      if (url !== undefined && !(specifier === 'zod' && resolves(() => next(specifier, context))))
        return next(url, context);
      const found = next(specifier, context);
      if (!isMistaken(found)) return found;
      return { ...found, format: found.url.endsWith('.ts') ? 'module-typescript' : 'module' };
    },
  });
}

const moduleSyntax = /^[ \t]*(import|export)\b(?!\s*\()/m;

/** A file of the project that Node takes for CommonJS, because its package says so, although it has module syntax. */
function isMistaken({ url, format }: { url: string; format?: string | null | undefined }): boolean {
  if (!format?.startsWith('commonjs') || !/^file:.*\.[jt]s$/.test(url) || url.includes('/node_modules/'))
    return false;
  return moduleSyntax.test(readFileSync(fileURLToPath(url), 'utf8'));
}

function resolves(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
