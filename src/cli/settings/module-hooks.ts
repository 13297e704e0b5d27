import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { DetentError } from '../../protocol/error.ts';
import { ownEntries, ownModule, readWholeSync } from '../../text/files.ts';
import { hex, sha256 } from '../../text/ids.ts';
import type { AgreedCode } from '../../trust/judge-folder.ts';

/** The hooks are process-wide and stay, because a configuration may import modules later. A second set would only delegate to the first. */
let isHooked = false;

/** By folder. As long as the hooks, for the same reason. */
const agreements = new Map<string, AgreedCode>();

/**
 * Resolves `import … from 'detent'` in a configuration to this program, wherever the file is and whatever is installed.
 * Also loads it as a module in a package of CommonJS (`npm init` writes `"type": "commonjs"`).
 *
 * Code of a trusted folder loads only files of the folder that were agreed to, with the bytes that were agreed to.
 *
 * @param agreed what the code of a folder may load; null for anything
 * @see https://nodejs.org/docs/latest-v24.x/api/module.html#moduleregisterhooksoptions
 */
export function hookModules(agreed: AgreedCode | null): void {
  if (agreed) agreements.set(agreed.folder, agreed);
  if (isHooked) return;
  isHooked = true;
  const own = new Map([...ownEntries()].map(([name, module]) => [name, ownModule(module)]));
  own.set('zod', import.meta.resolve('zod'));
  registerHooks({
    resolve(specifier, context, next) {
      const url = own.get(specifier);
      // A project's own zod takes precedence.
      if (url !== undefined && !(specifier === 'zod' && resolves(() => next(specifier, context))))
        return next(url, context);
      // A chart is moved by this program's own XState, whatever version the project has.
      const from = ofXState.test(specifier) ? { ...context, parentURL: import.meta.url } : context;
      const found = next(specifier, from);
      refuseUnlisted(found.url, context.parentURL);
      if (!isMistaken(found)) return found;
      return { ...found, format: found.url.endsWith('.ts') ? 'module-typescript' : 'module' };
    },
    load(url, context, next) {
      const loaded = next(url, context);
      refuseChanged(url, loaded.source);
      return loaded;
    },
  });
}

const ofXState = /^xstate(\/|$)/;

/** @throws DetentError `NOT_TRUSTED` when code of a trusted folder imports another file of it. */
function refuseUnlisted(url: string, parent: string | undefined): void {
  const [path, from] = [pathOf(url), pathOf(parent)];
  if (path === null || from === null || path.includes('/node_modules/')) return;
  for (const { folder, files, isOpen } of agreements.values())
    if (!isOpen && files.has(from) && path.startsWith(`${folder}/`) && !files.has(path))
      throw notAgreed(path, `${from} loads it, but does not name it`);
}

/** @throws DetentError `NOT_TRUSTED` when a file is not what was agreed to: it changed in the meantime. */
function refuseChanged(url: string, source: unknown): void {
  const path = pathOf(url);
  if (path === null) return;
  for (const { files } of agreements.values()) {
    const hash = files.get(path);
    if (hash === undefined) continue;
    // Node reads a CommonJS file later: then this is the last look at it.
    const content = source == null ? readWholeSync(path) : (source as string | Uint8Array);
    if (hex(sha256(content)) !== hash) throw notAgreed(path, 'it changed in the meantime');
  }
}

function notAgreed(path: string, why: string): DetentError {
  return new DetentError(
    'NOT_TRUSTED',
    `${path} is not what you agreed to: ${why}; try again, or trust it for one command with --trust`,
    { details: { file: path } },
  );
}

function pathOf(url: string | undefined): string | null {
  return url?.startsWith('file:') ? fileURLToPath(url) : null;
}

const moduleSyntax = /^[ \t]*(import|export)\b(?!\s*\()/m;

/** Whether Node takes a file of the project for CommonJS, because of its package, although it has module syntax. */
function isMistaken({ url, format }: { url: string; format?: string | null | undefined }): boolean {
  if (!format?.startsWith('commonjs') || !/^file:.*\.[jt]s$/.test(url) || url.includes('/node_modules/'))
    return false;
  return moduleSyntax.test(readWholeSync(fileURLToPath(url)).toString());
}

function resolves(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
