import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Ownership } from '../../engine/ownership.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Toolbox } from '../../protocol/ports.ts';
import type { Sentence } from '../../protocol/views.ts';
import { say } from '../../runs/views.ts';
import { type Ask, type Program, request } from '../../store/program.ts';
import type { RunRow, TakeableRun } from '../../store/rows.ts';
import type { RunPlace } from '../../store/run-options.ts';
import type { StatementsOf } from '../../store/statements.ts';
import type { Store } from '../../store/store.ts';
import { optionsOf } from '../../store/stored-run.ts';
import { makePrivateFolder, ownFolderName, privateFileMode, readWholeSync } from '../../text/files.ts';
import { randomId } from '../../text/ids.ts';

const ask: Ask<StatementsOf<'runs'>> = request;

/** The tools whose work stays on the machine: files, commands and memory of the workspace. */
const placed: ReadonlySet<string> = new Set([
  ...['read_file', 'write_file', 'edit_file', 'list_files', 'grep'],
  ...['shell', 'shell_output', 'shell_kill'],
  ...['memory_search', 'memory_get', 'memory_write'],
]);

interface PlacedRunsOptions {
  store: Store;
  ownership: Pick<Ownership, 'me'>;
  /** The workspace of this process; null where it has no id. */
  here: RunPlace | null;
  /** Whether runs of other workspaces are taken, too. */
  takesAll: boolean;
}

/** The runs of a database that machines with workspaces of their own share: which of them are at home where. */
export class PlacedRuns {
  readonly #options: PlacedRunsOptions;

  constructor(options: PlacedRunsOptions) {
    this.#options = options;
  }

  /** Has the first call of a tool that works in the workspace say in its run where that is, before anything happens there. */
  around(toolbox: Toolbox): Toolbox {
    return {
      ...toolbox,
      run: async (name, rawArguments, ctx) => {
        if (placed.has(name)) await this.#settle(ctx.principal.tenantId, ctx.runId);
        return toolbox.run(name, rawArguments, ctx);
      },
    };
  }

  /** The place of a run, to be that of a run that it begins. */
  async of(tenant: number, id: string): Promise<{ place?: RunPlace }> {
    const row = await this.#options.store.query('loadRun', { tenant, id });
    const { place } = row ? optionsOf(row) : {};
    return place ? { place } : {};
  }

  /** The workspace that a run needs, and that is not the one of this process; null when it may go on here. */
  missing(row: Pick<RunRow, 'options'>): Sentence | null {
    const { here, takesAll } = this.#options;
    const { place } = optionsOf(row);
    if (!place || takesAll || place.id === here?.id) return null;
    return say('lacks_workspace', { folder: String(place.folder), machine: String(place.machine) });
  }

  /** The `OTHER_WORKSPACE` error of a run that is at home elsewhere; null when it may go on here. */
  whyRefused(row: TakeableRun): DetentError | null {
    if (!this.missing(row)) return null;
    const { folder, machine } = optionsOf(row).place as RunPlace;
    return new DetentError(
      'OTHER_WORKSPACE',
      `run ${row.id} has used files or memory of the workspace ${folder} on ${machine}, and goes on only there. If that is gone for good, take it to this workspace: detent runs resume ${row.id} --here`,
      { details: { runId: row.id, folder, machine } },
    );
  }

  /** Takes a run of another workspace to this one, for good. */
  async takeHere({ tenant, id, options }: Pick<RunRow, 'tenant' | 'id' | 'options'>): Promise<void> {
    const { here, takesAll, store } = this.#options;
    const { place } = optionsOf({ options });
    if (!takesAll || !here || !place || place.id === here.id) return;
    await store.commit(() => settle(here, tenant, id));
  }

  async #settle(tenant: number, id: string): Promise<void> {
    const { here, ownership, store } = this.#options;
    if (here) await store.commit(() => settle(here, tenant, id, ownership.me));
  }
}

/** Whether an error says that a run is at home in another workspace. */
export function isElsewhere(error: unknown): boolean {
  return DetentError.is(error) && error.code === 'OTHER_WORKSPACE';
}

/**
 * Says where a run is at home, and with it the runs that began it.
 *
 * @param driver that must still have it
 */
function* settle(here: RunPlace, tenant: number, runId: string, driver?: number | null): Program<void> {
  for (let id: string | undefined = runId; id !== undefined; ) {
    const row: RunRow | undefined = yield* ask('loadRun', { tenant, id });
    if (!row) return;
    if (id === runId && driver !== undefined && row.driver !== driver)
      throw new DetentError('FENCED', `run ${id} is driven by another process now`, {
        details: { runId: id },
      });
    const options = optionsOf(row);
    if (options.place?.id !== here.id)
      yield* ask('changeRunOptions', {
        pk: row.pk,
        options: JSON.stringify({ ...options, place: here }),
      });
    id = options.parentRunId;
  }
}

/**
 * The workspace among those of other machines: by an id in a file of its own, made once. Null where there is none, and none can be
 * made: nothing that a run does to such a workspace can be missed elsewhere.
 *
 * @throws DetentError `INVALID_WORKSPACE` when the file holds something else.
 */
export function placeOf(folder: string, mayMake: boolean): RunPlace | null {
  const own = join(folder, ownFolderName);
  const file = join(own, 'workspace-id');
  const id = readId(file) ?? (mayMake ? makeId(own, file) : null);
  return id === null ? null : { id, machine: hostname(), folder };
}

function readId(file: string): string | null {
  let text: string;
  try {
    text = String(readWholeSync(file)).trim();
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
  if (/^ws_\w{8,40}$/.test(text)) return text;
  throw new DetentError(
    'INVALID_WORKSPACE',
    `${file} does not hold the id of a workspace: put it back, or remove it, and then runs that used files here need "detent runs resume RUN --here"`,
    { details: { file } },
  );
}

/** Whole under its name, or not there: of two processes the first one's counts. */
function makeId(folder: string, file: string): string | null {
  const mine = `${file}.${randomId('new')}`;
  try {
    makePrivateFolder(folder);
    writeFileSync(mine, `${randomId('ws')}\n`, { flag: 'wx', mode: privateFileMode });
    linkSync(mine, file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') {
      if (['EROFS', 'EACCES', 'EPERM'].includes(code)) return null;
      throw error;
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return readId(file);
}

const isAbsent = (error: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
