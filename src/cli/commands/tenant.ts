import type { TenantView } from '../../index.ts';
import { defaultTenant } from '../../protocol/access.ts';
import { unknownTenant } from '../../runtime/requests.ts';
import { reading, withDetent } from '../drive/with-detent.ts';
import { type Flags, text, usage, word } from '../settings/flags.ts';
import { hasDatabase, loadOptions } from '../settings/load-options.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { DetentCommand } from './command.ts';

export function defineTenant(program: DetentCommand): void {
  const tenant = program.command('tenant').summary('separate customers of one server');

  tenant
    .command('create')
    .summary('create a tenant, with its own workspace')
    .description(
      'Creates a tenant, whose runs work in DIR and cannot reach files elsewhere. Without a workspace its runs have no tools for files and commands. MCP servers are for tenant 1 only.',
    )
    .argument('<NAME>', 'lower-case letters, digits, ".", "_" and "-"; unique')
    .option('--workspace <DIR>', 'an existing folder that shares no file with another workspace')
    .jsonOption()
    .tenantPlaceOptions()
    .examples('detent tenant create acme --workspace /srv/tenants/acme', 'detent tenant create guests --json')
    .performedBy(async () => createTenant);

  tenant
    .command('list')
    .summary('the tenants and their workspaces')
    .description('All tenants by id. The first one is you: its workspace is the open folder.')
    .jsonOption()
    .placeOptions()
    .examples('detent tenant list', "detent tenant list --json | jq '.[].name'")
    .performedBy(async () => listTenants);

  tenant
    .command('set')
    .summary('give a tenant another workspace, or none')
    .description(
      'Gives a tenant another workspace, or none. New calls use it, even in running runs. Files and memory do not move.',
    )
    .argument('<NAME>', 'name or id of the tenant')
    .option('--workspace <DIR>', 'an existing folder that shares no file with another workspace')
    .option('--no-workspace', 'no files and no commands from now on')
    .jsonOption()
    .tenantPlaceOptions()
    .examples('detent tenant set acme --workspace /srv/acme', 'detent tenant set acme --no-workspace')
    .performedBy(async () => setTenant);
}

/** `detent tenant create NAME`. */
async function createTenant(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'NAME');
  const workspace = text(flags, 'workspace');
  const options = await loadOptions(workspaceFlags(flags), io);
  const made = await withDetent(options, (detent) =>
    detent.tenants.create({ name, ...(workspace !== undefined && { workspace: io.path(workspace) }) }),
  );
  if (flags.json) io.json(made);
  else io.out(`${describeTenant(made)}\n`);
  return exit.ok;
}

/** The flags as `loadOptions` reads them: the opened folder is --in here. */
function workspaceFlags({ workspace: _, in: opened, ...flags }: Flags): Flags {
  return { ...flags, ...(opened !== undefined && { workspace: opened }) };
}

/** `detent tenant list`. */
async function listTenants(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const options = await loadOptions(flags, io);
  const first: TenantView = { id: defaultTenant, name: 'default', workspace: options.workspace };
  // Every database begins with this tenant, so none is made to say so.
  const tenants = hasDatabase(options) ? await reading(options, (detent) => detent.tenants.list()) : [first];
  if (flags.json) io.json(tenants);
  else for (const tenant of tenants) io.out(`${describeTenant(tenant)}\n`);
  return exit.ok;
}

/** `2  acme  /srv/acme`. */
function describeTenant({ id, name, workspace }: TenantView): string {
  return `${id}  ${name}  ${workspace ?? '(no workspace)'}`;
}

/** `detent tenant set NAME --workspace DIR | --no-workspace`. */
async function setTenant(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'NAME');
  const workspace = text(flags, 'workspace');
  // The command line has them as one option, so the last one counts.
  if (workspace === undefined && !flags['no-workspace'])
    throw usage('give either --workspace DIR or --no-workspace');
  const options = await loadOptions(workspaceFlags(flags), io);
  if (!hasDatabase(options)) throw unknownTenant(name);
  const changed = await withDetent(options, (detent) =>
    detent.tenants.setWorkspace(name, workspace === undefined ? null : io.path(workspace)),
  );
  if (flags.json) io.json(changed);
  else io.out(`${describeTenant(changed)}\n`);
  return exit.ok;
}
