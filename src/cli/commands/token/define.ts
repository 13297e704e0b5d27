import type { Command } from 'commander';
import { scopes } from '../../../protocol/access.ts';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions } from '../options.ts';

export function defineToken(program: Command, performedBy: PerformedBy): void {
  const token = program.command('token').summary('tokens that let clients in');
  defineCreate(token, performedBy);
  defineList(token, performedBy);
  defineRevoke(token, performedBy);
  defineLogin(token, performedBy);
}

function defineCreate(token: Command, performedBy: PerformedBy): void {
  const command = token
    .command('create')
    .summary('make a token, which is shown this once')
    .description(
      'Makes a token for a client. It is printed this once, alone on stdout; the database has only a hash of its secret. No scope includes another: "read" is for seeing, "write" for starting and steering runs, "approve" for deciding about calls, "admin" for administrating.',
    )
    .requiredOption('--scope <a,b>', `what it allows: ${scopes.join(', ')}`)
    .option('--tenant <N>', 'the tenant of its client (default: 1)')
    .option('--user <U>', 'only the sessions and runs of this user (default: those of the whole tenant)')
    .option('--sees <WHAT>', '"tenant": with --user, it sees those of the whole tenant, and keeps its name')
    .option('--agents <a,b>', 'the only agents that exist for it; "" for none (default: all)')
    .option('--workflows <a,b>', 'the only workflows that exist for it; "" for none (default: all)')
    .option('--expires <TIME>', 'how long it is good for: 12h, 30d (default: until it is revoked)')
    .option('--max-runs <N>', 'how many runs its client may have at work at once (default: 100)')
    .option('--name <TEXT>', 'for people, to tell tokens apart');
  placeOptions(jsonOption(command));
  examples(
    command,
    'detent token create --scope read,write --name laptop --expires 30d',
    'TOKEN=$(detent token create --scope read --tenant 2 --user ada)',
    'detent token create --scope read,write --agents support --workflows "" --name website',
  );
  performedBy(command, async () => (await import('./create.ts')).createToken);
}

function defineList(token: Command, performedBy: PerformedBy): void {
  const command = token
    .command('list')
    .summary('all tokens, without their secrets')
    .description('The tokens of all tenants, oldest first, with those that were revoked or have expired.');
  placeOptions(jsonOption(command));
  examples(command, 'detent token list');
  performedBy(command, async () => (await import('./list.ts')).listTokens);
}

function defineRevoke(token: Command, performedBy: PerformedBy): void {
  const command = token
    .command('revoke')
    .summary('let a token in no longer')
    .description('Revokes a token: from now on every process refuses it.')
    .argument('<ID>', 'id of a token, as "detent token list" prints it; or the whole token');
  placeOptions(jsonOption(command));
  examples(command, 'detent token revoke tok_3f8k2m9q4r7t1v5x');
  performedBy(command, async () => (await import('./revoke.ts')).revokeToken);
}

function defineLogin(token: Command, performedBy: PerformedBy): void {
  const command = token
    .command('login')
    .summary('make a login link for a browser')
    .description(
      'Makes a link that logs a browser in at "detent serve" of the same workspace: once, within five minutes, and for 12 hours with all scopes of tenant 1. The gateway need not be started anew. The link is alone on stdout.',
    )
    .option(
      '--url <URL>',
      'the address of the gateway, as the browser reaches it (default: that of the gateway that runs for the workspace, else http://127.0.0.1:7420)',
    );
  placeOptions(jsonOption(command));
  examples(command, 'detent token login', 'detent token login --url https://agent.example');
  performedBy(command, async () => (await import('./login.ts')).loginLink);
}
