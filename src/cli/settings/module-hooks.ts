import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ownModule } from '../../files/own-files.ts';

/** The hooks are process-wide and stay, because a configuration may import modules later. A second set would only delegate to the first. */
let isHooked = false;

/**
 * Resolves `import … from 'detent'` in a configuration to this program, wherever the file is and whatever is installed.
 * Also loads it as a module in a package of CommonJS (`npm init` writes `"type": "commonjs"`).
 *
 * @see https://nodejs.org/docs/latest-v24.x/api/module.html#moduleregisterhooksoptions
 */
export function hookModules(): void {
  if (isHooked) return;
  isHooked = true;
  const own: Readonly<Record<string, string>> = {
    detent: ownModule('src/index'),
    'detent/testing': ownModule('src/testing/index'),
    'detent/machines': ownModule('machines/run.machine'),
    zod: import.meta.resolve('zod'),
  };
  registerHooks({
    resolve(specifier, context, next) {
      const url = Object.hasOwn(own, specifier) ? own[specifier] : undefined;
      // A project's own zod takes precedence.
      if (url !== undefined && !(specifier === 'zod' && resolves(() => next(specifier, context))))
        return next(url, context);
      const found = next(specifier, context);
      if (!isMistaken(found)) return found;
      return { ...found, format: found.url.endsWith('.ts') ? 'module-typescript' : 'module' };
    },
  });
}

const moduleSyntax = /^[ \t]*(import|export)\b(?!\s*\()/m;

/** Whether Node takes a file of the project for CommonJS, because of its package, although it has module syntax. */
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
