import { findUsableModel } from '../../models/find-model.ts';
import { defaultTenant } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { HookPoint, ModelDirectory } from '../../protocol/ports.ts';
import type { Sentence } from '../../protocol/views.ts';
import { inEnglish, say } from '../../runs/views.ts';
import type { RunRow, TakeableRun } from '../../store/rows.ts';
import type { RunNeeds } from '../../store/run-options.ts';
import { isWorkflowRun, optionsOf } from '../../store/stored-run.ts';
import { namesPrefix, toolMatcher } from '../../tools/registry.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { ToolLists } from '../config/tool-lists.ts';
import type { PlacedRuns } from './placed-runs.ts';

/** The needs of runs that not every program on the database can meet. */
export interface Needs {
  /** The needs of a run that this program makes for a tenant. `allowed`: the tools that it may use; null for all. */
  of(allowed: readonly string[] | null, tenant: number): RunNeeds | null;
  /** What this program lacks of what the run needs; null if it has all. */
  missing(row: Pick<RunRow, 'machine' | 'options'>): Sentence | null;
  /** The `CANNOT_DRIVE` error of a run that this program must leave to another; null if it can drive the run. */
  whyRefused(row: TakeableRun): DetentError | null;
}

interface Having {
  lists: ToolLists;
  /** Names of MCP servers. */
  servers: readonly string[];
  models: Pick<ModelDirectory, 'addressNow'>;
  placed: PlacedRuns | null;
}

/**
 * Knows which tools, MCP servers and hooks come from this program's options. A program that lacks them must not drive a
 * run that may use them: the run would continue without a tool that it was promised, or without a hook that would have
 * stopped it.
 */
export function createNeeds(options: DetentOptions, { lists, servers, models, placed }: Having): Needs {
  const tools = (options.tools?.define ?? []).map(({ name }) => name);
  const hooks = (Object.keys(options.hooks ?? {}) as HookPoint[]).filter(
    (point) => !observers.has(point) && (options.hooks?.[point]?.length ?? 0) > 0,
  );
  const isOn = (name: string) =>
    !toolMatcher(lists.disabled)(name) && (lists.allowed === null || toolMatcher(lists.allowed)(name));

  const own: Readonly<Record<keyof RunNeeds, readonly unknown[]>> = { tools, servers, hooks };

  const missing = (row: Pick<RunRow, 'machine' | 'options'>): Sentence | null => {
    const away = placed?.missing(row) ?? null;
    if (away) return away;
    // A workflow needs its chart alone. The runs of its services need the rest.
    if (isWorkflowRun(row)) return null;
    const run = optionsOf(row);
    for (const [kind, names] of Object.entries({ ...run.needs } as Record<string, unknown>)) {
      // The row may come from another version of Detent, or may have been edited.
      if (!isKindOfNeed(kind) || !Array.isArray(names)) return say('lacks_unknown', { kind });
      const lacking = names.find((name) => !own[kind].includes(name));
      if (lacking !== undefined) return say(codes[kind], { name: String(lacking) });
    }
    // It calls no model.
    if (run.call) return null;
    return missingModel([run.model, ...(run.fallbacks ?? [])]);

    /** A run can continue as long as one of its models can be called. A missing address has an error of its own. */
    function missingModel(names: string[]): Sentence | null {
      const { models: providers = {}, env = process.env } = options;
      let first: Sentence | null = null;
      for (const name of names)
        try {
          const address = models.addressNow(name, run.endpoint);
          if (address !== undefined) findUsableModel(name, address, providers, env);
          return null;
        } catch (error) {
          first ??= say('lacks_model', {
            name,
            message: DetentError.is(error) ? error.message : String(error),
          });
        }
      return first;
    }
  };

  return {
    of(allowed, tenant) {
      const mayUse = allowed === null ? () => true : toolMatcher(allowed);
      const needs: RunNeeds = {
        ...some(
          'tools',
          tools.filter((name) => isOn(name) && mayUse(name)),
        ),
        ...some(
          'servers',
          servers.filter(
            (name) =>
              // Those of other tenants are offered no server.
              tenant === defaultTenant && (allowed === null || namesPrefix(allowed, `mcp__${name}__`)),
          ),
        ),
        ...some('hooks', hooks),
      };
      return Object.keys(needs).length > 0 ? needs : null;
    },
    missing,
    whyRefused(row) {
      const away = placed?.whyRefused(row) ?? null;
      if (away) return away;
      const lacking = missing(row);
      return lacking === null ? null : cannotDrive(row, inEnglish(lacking));
    },
  };
}

/** How what is lacking is said. */
const codes = {
  tools: 'lacks_tools',
  servers: 'lacks_servers',
  hooks: 'lacks_hooks',
} as const satisfies Record<keyof RunNeeds, string>;

function isKindOfNeed(kind: string): kind is keyof RunNeeds {
  return Object.hasOwn(codes, kind);
}

/** Hooks that only observe: they stop nothing, so a program without them may drive the run. */
const observers: ReadonlySet<HookPoint> = new Set(['runWaiting', 'runDecided']);

function some<K extends string, T>(key: K, list: T[]): { [key in K]?: T[] } {
  return list.length > 0 ? ({ [key]: list } as { [key in K]: T[] }) : {};
}

function cannotDrive({ id, seq }: TakeableRun, lacking: string): DetentError {
  return new DetentError(
    'CANNOT_DRIVE',
    `run ${id} needs ${lacking}, which this program does not have, so it leaves the run as it is. Resume it with the program that made it ("detent runs why ${id}" names the process), or fork it here: detent runs fork ${id} --at ${seq}`,
    { details: { runId: id, missing: lacking } },
  );
}
