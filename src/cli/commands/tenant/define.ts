import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions, tenantPlaceOptions } from '../options.ts';

export function defineTenant(program: Command, performedBy: PerformedBy): void {
  const tenant = program.command('tenant').summary('those for whom a server makes runs');
  defineCreate(tenant, performedBy);
  defineList(tenant, performedBy);
  defineSet(tenant, performedBy);
}

function defineCreate(tenant: Command, performedBy: PerformedBy): void {
  const command = tenant
    .command('create')
    .summary('make a tenant, with a workspace of its own')
    .description(
      'Makes a tenant, whose runs work in DIR and reach no file elsewhere. Without a workspace its runs have no tools for files and commands. MCP servers are for tenant 1 only.',
    )
    .argument('<NAME>', 'lower-case letters, digits, ".", "_" and "-"; unique')
    .option('--workspace <DIR>', 'an existing folder that shares no file with another workspace');
  tenantPlaceOptions(jsonOption(command));
  examples(
    command,
    'detent tenant create acme --workspace /srv/tenants/acme',
    'detent tenant create guests --json',
  );
  performedBy(command, async () => (await import('./create.ts')).createTenant);
}

function defineList(tenant: Command, performedBy: PerformedBy): void {
  const command = tenant
    .command('list')
    .summary('the tenants and their workspaces')
    .description('All tenants by id. The first one is you: its workspace is the folder that is opened.');
  placeOptions(jsonOption(command));
  examples(command, 'detent tenant list', "detent tenant list --json | jq '.[].name'");
  performedBy(command, async () => (await import('./list.ts')).listTenants);
}

function defineSet(tenant: Command, performedBy: PerformedBy): void {
  const command = tenant
    .command('set')
    .summary('give a tenant another workspace, or none')
    .description(
      'Gives a tenant another workspace, or none. Calls that start from then on use it, also those of runs at work. Files and memory stay where they are.',
    )
    .argument('<NAME>', 'name or id of the tenant')
    .option('--workspace <DIR>', 'an existing folder that shares no file with another workspace')
    .option('--no-workspace', 'no files and no commands from now on');
  tenantPlaceOptions(jsonOption(command));
  examples(command, 'detent tenant set acme --workspace /srv/acme', 'detent tenant set acme --no-workspace');
  performedBy(command, async () => (await import('./set.ts')).setTenant);
}
