import type { TokenView } from '../../index.ts';
import { checkScopes, checkSight, scopes } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { isoTime } from '../../text/wording.ts';
import { reading, withDetent } from '../drive/with-detent.ts';
import { duration, type Flags, text, usage, wholeNumber, word } from '../settings/flags.ts';
import { hasDatabase, loadOptions } from '../settings/load-options.ts';
import { type Column, listed, timeCell } from '../terminal/columns.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { DetentCommand } from './command.ts';
import { recordedUrl } from './serve/gateway-record.ts';

export function defineToken(program: DetentCommand): void {
  const token = program.command('token').summary('tokens that let clients in');

  token
    .command('create')
    .summary('create a token, and show it once')
    .description(
      'Creates a token for a client. Stdout shows it only this once; the database has only a hash of its secret. No scope includes another: "talk" is for talking as one user, "read" for reading, "write" for starting and steering runs, "approve" for deciding on calls, "admin" for administration.',
    )
    .requiredOption('--scope <a,b>', `what it allows: ${scopes.join(', ')}`)
    .option('--tenant <N>', 'the tenant of its client (default: 1)')
    .option('--user <U>', 'only the sessions and runs of this user (default: those of the whole tenant)')
    .option('--sees <WHAT>', '"tenant": with --user, the client sees the whole tenant, but acts as that user')
    .option('--agents <a,b>', 'the only agents that exist for it; "" for none (default: all)')
    .option('--workflows <a,b>', 'the only workflows that exist for it; "" for none (default: all)')
    .option('--expires <TIME>', 'how long it is valid: 12h, 30d (default: until it is revoked)')
    .option('--max-runs <N>', 'maximum of concurrent runs of its client (default: 100)')
    .option('--name <TEXT>', 'a name for people, to distinguish tokens')
    .jsonOption()
    .placeOptions()
    .examples(
      'detent token create --scope read,write --name laptop --expires 30d',
      'TOKEN=$(detent token create --scope read --tenant 2 --user ada)',
      'detent token create --scope talk --user ann --agents shop --name phone',
      'detent token create --scope read,write --agents support --workflows "" --name website',
    )
    .performedBy(async () => createToken);

  token
    .command('list')
    .summary('all tokens, without their secrets')
    .description('The tokens of all tenants, oldest first, with those that were revoked or have expired.')
    .jsonOption()
    .placeOptions()
    .examples('detent token list')
    .performedBy(async () => listTokens);

  token
    .command('revoke')
    .summary('revoke a token')
    .description('Revokes a token: from now on every process refuses it.')
    .argument('<ID>', 'id of a token, as "detent token list" prints it; or the whole token')
    .jsonOption()
    .placeOptions()
    .examples('detent token revoke tok_3f8k2m9q4r7t1v5x')
    .performedBy(async () => revokeToken);

  token
    .command('login')
    .summary('make a login link for a browser')
    .description(
      'Creates a link that logs a browser in at "detent serve" of the same workspace: once, within five minutes, and for 12 hours with all scopes of tenant 1. You need not restart the gateway. Stdout has only the link.',
    )
    .option(
      '--url <URL>',
      'the address of the gateway for the browser (default: the running gateway of the workspace, else http://127.0.0.1:7420)',
    )
    .jsonOption()
    .placeOptions()
    .examples('detent token login', 'detent token login --url https://agent.example')
    .performedBy(async () => loginLink);
}

/** `detent token create`: the token alone on stdout, for `$(…)`. */
async function createToken(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const scopes = checkScopes((text(flags, 'scope') ?? '').split(',').map((word) => word.trim()));
  const tenantId = wholeNumber(flags, 'tenant', 1);
  const lastsMs = duration(flags, 'expires');
  const maxRuns = wholeNumber(flags, 'max-runs', 1);
  const userId = text(flags, 'user');
  const name = text(flags, 'name');
  const sight = checkSight({
    sees: text(flags, 'sees'),
    agents: names(flags, 'agents'),
    workflows: names(flags, 'workflows'),
  });
  const options = await loadOptions(flags, io);
  const made = await withDetent(options, (detent) =>
    detent.tokens.create({
      scopes,
      ...(tenantId !== undefined && { tenantId }),
      ...(userId !== undefined && { userId }),
      ...(name !== undefined && { name }),
      ...sight,
      ...(maxRuns !== undefined && { maxRuns }),
      ...(lastsMs !== undefined && { expiresAt: Date.now() + lastsMs }),
    }),
  );
  if (flags.json) {
    const { id, ...fields } = tokenFields(made);
    io.json({ id, token: made.token, ...fields });
    return exit.ok;
  }
  io.out(`${made.token}\n`);
  const who = made.userId === null ? '' : `, user "${made.userId}"`;
  const end = made.expiresAt === null ? 'does not expire' : `expires ${isoTime(made.expiresAt)}`;
  io.say(`it allows ${made.scopes.join(', ')}; tenant ${made.tenantId}${who}${sightOf(made)}; ${end}`);
  io.say(`store it: Detent does not show it again; "detent token revoke ${made.id}" revokes it`);
  return exit.ok;
}

function names(flags: Flags, flag: string): string[] | undefined {
  return text(flags, flag)
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function sightOf({ sees, agents, workflows }: TokenView): string {
  const listed = (what: string, names?: readonly string[]) =>
    names ? `; ${what}: ${names.join(', ') || 'none'}` : '';
  return `${sees ? ', sees the tenant' : ''}${listed('agents', agents)}${listed('workflows', workflows)}`;
}

type Listed = TokenView & { status: 'active' | 'expired' | 'revoked' };

/** `detent token list`: never a secret, because the database has none. */
async function listTokens(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const options = await loadOptions(flags, io);
  const found = hasDatabase(options) ? await reading(options, (detent) => detent.tokens.list()) : [];
  const now = Date.now();
  const tokens = found.map((token) => ({ ...token, status: statusOf(token, now) }));
  if (flags.json) io.json(tokens.map(inJson));
  else if (tokens.length > 0) io.out(listed(tokens, columnsFor(io), io.stdout));
  else io.say('there are no tokens here yet; "detent token create --scope read,write" makes one');
  return exit.ok;
}

function inJson(token: Listed) {
  const { name, status, createdAt, revokedAt } = token;
  return { ...tokenFields(token), name, status, createdAt, ...(revokedAt !== null && { revokedAt }) };
}

function statusOf({ revokedAt, expiresAt }: TokenView, now: number): Listed['status'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

function columnsFor({ stdout }: Io): Column<Listed>[] {
  return [
    { title: 'id', cell: ({ id }) => id },
    { title: 'status', cell: ({ status }) => status },
    { title: 'scopes', cell: ({ scopes }) => scopes.join(',') },
    { title: 'tenant', cell: ({ tenantId }) => String(tenantId), rank: 3, unless: '1' },
    { title: 'user', cell: ({ userId }) => userId ?? '-', min: 8, rank: 4, unless: '-' },
    { title: 'made', cell: ({ createdAt }) => timeCell(createdAt, stdout), rank: 1 },
    { title: 'expires', cell: ({ expiresAt }) => dayOf(expiresAt), rank: 2 },
    { title: 'name', cell: ({ name }) => name || '-', min: 8, unless: '-' },
  ];
}

function dayOf(at: number | null): string {
  return at === null ? 'never' : timeCell(at, { isTTY: false });
}

/** `detent token revoke ID`. A person who has only the whole token may paste that. */
async function revokeToken(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const [id = ''] = word(words, 0, 'ID').split('.', 1);
  const options = await loadOptions(flags, io);
  if (!hasDatabase(options))
    throw new DetentError(
      'NOT_FOUND',
      `no such token: the database ${options.database.file} does not exist yet`,
    );
  const isRevoked = await withDetent(options, (detent) => detent.tokens.revoke(id));
  if (flags.json) io.json({ id, revoked: isRevoked });
  else if (isRevoked) io.out(`revoked: ${id}\n`);
  else io.say(`token ${id} is already revoked`);
  return exit.ok;
}

/** `detent token login`: the link alone on stdout, for `open $(…)`. */
async function loginLink(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const given = text(flags, 'url');
  const named = given === undefined ? null : checkedUrl(given);
  const options = await loadOptions(flags, io);
  const url = named ?? recordedUrl(options) ?? 'http://127.0.0.1:7420';
  const { code, expiresAt } = await withDetent(options, (detent) => detent.tokens.createLogin());
  const loginUrl = `${url}/#login=${code}`;
  if (flags.json) {
    io.json({ loginUrl, expiresAt });
    return exit.ok;
  }
  io.out(`${loginUrl}\n`);
  io.say(
    `it logs a browser in at the gateway of ${options.workspace}: once, and before ${isoTime(expiresAt)}`,
  );
  return exit.ok;
}

/** The address that the code is put behind: what follows the path would take the code in. */
export function checkedUrl(given: string): string {
  const url = URL.parse(given);
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (isPlain && /^https?:$/.test(url.protocol) && !/[?#]/.test(given)) return url.href.replace(/\/+$/, '');
  throw usage(`--url is the address of a gateway, such as https://agent.example, not "${given}"`);
}

/** What the JSON of these commands says of a token. Times are milliseconds since the epoch. */
function tokenFields({
  id,
  scopes,
  tenantId,
  userId,
  sees,
  agents,
  workflows,
  expiresAt,
  maxRuns,
}: TokenView) {
  return {
    id,
    scopes,
    tenant: tenantId,
    ...(userId !== null && { user: userId }),
    ...(sees && { sees }),
    ...(agents && { agents }),
    ...(workflows && { workflows }),
    ...(expiresAt !== null && { expiresAt }),
    ...(maxRuns !== null && { maxRuns }),
  };
}
