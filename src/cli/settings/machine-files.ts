import { basename, dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { shown } from '../../protocol/json.ts';
import { inTime } from '../../text/limiter.ts';
import { type MachineModule, machinesFolder, muteModuleWarnings } from '../../trust/code.ts';
import type { AgreedCode } from '../../trust/judge-folder.ts';
import { type Finding, refuseFaulty } from '../../workflow/check.ts';
import { Workflows } from '../../workflow/registry.ts';
import { isWorkflow, type Workflow } from '../../workflow/workflow.ts';
import { placeOf } from './module-file.ts';
import { hookModules } from './module-hooks.ts';

/** A module of `machines/`, and what came of loading it. */
export interface MachineFile {
  /** Relative to the workspace: `machines/refund.machine.ts`. */
  name: string;
  /** Null when the module has none. */
  workflow: Workflow | null;
  /** Why it is not used; null when it is. */
  reason: string | null;
}

/** A module that waits for something longer than this, at its top, is left out. */
const defaultMaxLoadMs = 10_000;

/** Node keeps 10 frames: too few for an error of XState to name the line of the chart. */
const stackFrames = 100;

/**
 * Loads the machines of a workspace, one after the other. A file that cannot be used has the reason, and keeps no other one
 * from being used.
 *
 * @param agreed what they may load; null for anything
 * @throws DetentError `NOT_TRUSTED` when one loads what was not agreed to.
 */
export async function loadMachines(
  modules: readonly MachineModule[],
  agreed: AgreedCode | null,
  maxLoadMs = defaultMaxLoadMs,
): Promise<MachineFile[]> {
  hookModules(agreed);
  const restoreWarnings = muteModuleWarnings();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = stackFrames;
  const files: MachineFile[] = [];
  try {
    for (const module of modules) files.push(await load(module, files, maxLoadMs));
  } finally {
    restoreWarnings();
    Error.stackTraceLimit = stackTraceLimit;
  }
  return files;
}

async function load(
  module: MachineModule,
  before: readonly MachineFile[],
  maxLoadMs: number,
): Promise<MachineFile> {
  const file = { name: `${machinesFolder}/${basename(module.path)}`, workflow: null };
  if (!module.isRegular) return { ...file, reason: 'it is not a regular file' };
  let exported: unknown;
  try {
    exported = (await importOf(module.path, maxLoadMs)).default;
  } catch (error) {
    if (DetentError.is(error) && error.code === 'NOT_TRUSTED') throw error;
    const place = placeOf(error);
    const at = place ? ` (at ${relative(dirname(dirname(module.path)), place.path)}${place.at})` : '';
    return { ...file, reason: `it cannot be loaded: ${messageOf(error)}${at}` };
  }
  if (!isWorkflow(exported)) return { ...file, reason: whyNone(exported) };
  return { ...file, workflow: exported, reason: whyNot(exported, before) };
}

/** @throws what the module throws, and an error when it does not end. */
async function importOf(path: string, maxLoadMs: number): Promise<{ default?: unknown }> {
  return inTime(import(pathToFileURL(path).href), maxLoadMs, () => {
    throw new Error(
      `it is still waiting for something after ${maxLoadMs / 1_000} s; a module of a machine must only define it`,
    );
  });
}

function whyNone(exported: unknown): string {
  if (exported === undefined) return 'it has no default export; write: export default workflow(chart)';
  if (exported instanceof Promise)
    return 'its default export is a promise; write: export default workflow(chart)';
  return `its default export was not made by workflow() of detent/workflow: it is ${shown(exported)}`;
}

function whyNot(workflow: Workflow, before: readonly MachineFile[]): string | null {
  const others = before.filter(({ reason }) => reason === null);
  const twin = others.find((other) => other.workflow?.id === workflow.id);
  if (twin) return `${twin.name} has a chart with the id "${workflow.id}", too; give each its own`;
  try {
    refuseFaulty(workflow);
    new Workflows([...others.flatMap((other) => other.workflow ?? []), workflow]);
    return null;
  } catch (error) {
    const found = DetentError.is(error)
      ? (error.details?.findings as readonly Finding[] | undefined)
      : undefined;
    return found ? inShort(found, workflow) : messageOf(error);
  }
}

function inShort([first, ...more]: readonly Finding[], { id }: Workflow): string {
  const others = more.length > 0 ? `, and ${more.length} more` : '';
  return `it cannot run durably: ${first?.code} ${first?.state} ${first?.message}${others}; see "detent workflow check ${id}"`;
}
