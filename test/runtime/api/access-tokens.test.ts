import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDetent, type Detent, type DetentOptions, type TokenRequest } from '../../../src/index.ts';
import { assemble } from '../../../src/runtime/create-detent.ts';
import type { Store } from '../../../src/store/store.ts';
import { raw } from '../../store/support.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { temporaryWorkspace } from '../../support/detent.ts';

/** With a file, a Detent on that database. */
function opened(file?: string): Detent {
  const place: DetentOptions = file === undefined ? { store: 'in-process' } : { database: { file } };
  const detent = createDetent({ env: {}, ...place });
  onTestFinished(() => detent.close());
  return detent;
}

/** A Detent whose store counts what is asked of it. */
function counting() {
  const asked: string[] = [];
  const store = (own: Store): Store => ({
    ...own,
    query: (name, input) => {
      asked.push(name);
      return own.query(name, input);
    },
    commit: (program) => {
      asked.push('commit');
      return own.commit(program);
    },
  });
  let now = 1_000;
  const clock = { now: () => now, setTimer: () => () => {} };
  const detent = assemble({ store: 'in-process', env: {}, clock: clock as never }, { store });
  onTestFinished(() => detent.close());
  return { detent, asked, pass: (ms: number) => (now += ms) };
}

async function databaseFile(): Promise<string> {
  return join(await temporaryWorkspace(), 'tokens.db');
}

const reader = { scopes: ['read'] } as const;

describe('a token', () => {
  it('says of which tenant and user its client is, and what it may do', async () => {
    const { tenants, tokens } = opened();
    await tenants.create({ name: 'acme' });
    const made = await tokens.create({ scopes: ['write', 'read', 'write'], tenantId: 2, userId: 'ada' });
    expect(await tokens.check(made.token)).toEqual({
      tenantId: 2,
      userId: 'ada',
      name: made.id,
      scopes: ['read', 'write'],
    });
  });

  it('is of tenant 1 and of no user, and does not expire, unless its request says otherwise', async () => {
    const { tokens } = opened();
    const { token, ...view } = await tokens.create(reader);
    const name = view.id;
    expect(view).toMatchObject({ tenantId: 1, userId: null, name: '', expiresAt: null, revokedAt: null });
    expect(await tokens.check(token)).toEqual({ tenantId: 1, userId: null, name, scopes: ['read'] });
  });

  it('names the agents and workflows that exist for its client: none for an empty list, all without one', async () => {
    const { tokens } = opened();
    const { token, ...made } = await tokens.create({ ...reader, agents: ['a', 'a', 'b'], workflows: [] });
    const limits = { agents: ['a', 'b'], workflows: [] };
    expect(made).toMatchObject(limits);
    expect(await tokens.check(token)).toMatchObject(limits);
    expect(await tokens.list()).toMatchObject([limits]);
    for (const wrong of [null, 'a', [1], [''], ['a\n'], {}, [['a']]])
      for (const field of ['agents', 'workflows'])
        await expect(tokens.create({ ...reader, [field]: wrong })).rejects.toMatchObject({
          code: 'INVALID_ARGUMENTS',
        });
  });

  it('may see the whole tenant beside its user', async () => {
    const { tokens } = opened();
    const { token } = await tokens.create({ ...reader, userId: 'ada', sees: 'tenant' });
    expect(await tokens.check(token)).toMatchObject({ userId: 'ada', sees: 'tenant' });
    for (const wrong of [{ sees: 'all', userId: 'ada' }, { sees: null, userId: 'ada' }, { sees: 'tenant' }])
      await expect(tokens.create({ ...reader, ...(wrong as object) })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
      });
  });

  it('may limit the runs that its client has at work', async () => {
    const { tokens } = opened();
    const { token, maxRuns } = await tokens.create({ ...reader, name: 'phone', maxRuns: 3 });
    expect(maxRuns).toBe(3);
    expect(await tokens.check(token)).toEqual({
      tenantId: 1,
      userId: null,
      name: 'phone',
      scopes: ['read'],
      maxRuns: 3,
    });
    for (const wrong of [0, -1, 1.5, Number.NaN, '3', null])
      await expect(tokens.create({ ...reader, maxRuns: wrong as number })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
      });
  });

  it('gives no scope but those it names: admin is not read', async () => {
    const { tokens } = opened();
    const { token } = await tokens.create({ scopes: ['admin'] });
    expect((await tokens.check(token))?.scopes).toEqual(['admin']);
  });

  it('has a secret of 256 bits behind its id', async () => {
    const { id, token } = await opened().tokens.create(reader);
    const [first, secret = '', ...rest] = token.split('.');
    expect([first, rest]).toEqual([id, []]);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it('leaves no secret in the database, in a list, or in the parts of another', async () => {
    const file = await databaseFile();
    const detent = opened(file);
    const made = await detent.tokens.create({ ...reader, name: 'phone' });
    const secret = made.token.split('.')[1] ?? '';
    expect(JSON.stringify(await detent.tokens.list())).not.toContain(secret);
    await detent.close();
    const rows = raw(file, (db) => db.prepare('SELECT * FROM access_tokens').all());
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('is refused from the moment on at which it expires', async () => {
    const { detent, pass } = counting();
    const { token } = await detent.tokens.create({ ...reader, expiresAt: 2_000 });
    pass(999);
    expect(await detent.tokens.check(token)).not.toBeNull();
    pass(1);
    expect(await detent.tokens.check(token)).toBeNull();
  });

  it('costs one read and no write to check, whatever is wrong with it', async () => {
    const { detent, asked, pass } = counting();
    const good = await detent.tokens.create(reader);
    const expired = await detent.tokens.create({ ...reader, expiresAt: 1_001 });
    const revoked = await detent.tokens.create(reader);
    await detent.tokens.revoke(revoked.id);
    pass(1);
    const wrong = `${good.id}.${expired.token.split('.')[1]}`;
    for (const token of [good.token, wrong, expired.token, revoked.token, 'tok_none.x', '', 'no-dot']) {
      asked.length = 0;
      await detent.tokens.check(token);
      expect(asked, token).toEqual(['findAccessToken']);
    }
    await detent.tokens.revoke(good.id);
    asked.length = 0;
    expect(await detent.tokens.check(good.token)).toBeNull();
    expect(asked).toEqual(['findAccessToken']);
  });

  it('that was right is what its row says now, also behind the back of this program, and no caller of it can change that', async () => {
    const file = await databaseFile();
    const detent = opened(file);
    const { token } = await detent.tokens.create({ ...reader, agents: ['a'] });
    const change = (set: string) => raw(file, (db) => db.exec(`UPDATE access_tokens SET ${set}`));
    const first = await detent.tokens.check(token);
    for (const list of [first?.scopes, first?.agents])
      expect(() => Object.assign(list ?? [], ['admin', 'b'])).toThrow(TypeError);
    expect(() => Object.assign(first ?? {}, { tenantId: 2 })).toThrow(TypeError);
    expect(await detent.tokens.check(token)).toBe(first);
    change(`scopes = '["read","write"]'`);
    expect(await detent.tokens.check(token)).toMatchObject({ scopes: ['read', 'write'], agents: ['a'] });
    change("user_id = 'ada'");
    expect(await detent.tokens.check(token)).toMatchObject({ userId: 'ada' });
    for (const gone of ["secret_hash = ''", `scopes = '["fly"]'`, 'revoked_at = 1']) {
      const row = raw(file, (db) => db.prepare('SELECT * FROM access_tokens').get()) as Record<
        string,
        string
      >;
      change(gone);
      expect(await detent.tokens.check(token)).toBeNull();
      change(`secret_hash = '${row.secret_hash}', scopes = '${row.scopes}'`);
    }
    expect(await detent.tokens.check(token)).toBeNull();
    change('revoked_at = null, expires_at = 1');
    expect(await detent.tokens.check(token)).toBeNull();
    change('expires_at = null');
    expect(await detent.tokens.check(token)).not.toBeNull();
    raw(file, (db) => db.exec('DELETE FROM access_tokens'));
    expect(await detent.tokens.check(token)).toBeNull();
  });

  it('is refused while its row names a scope that this program does not know', async () => {
    const file = await databaseFile();
    const detent = opened(file);
    const { token } = await detent.tokens.create(reader);
    raw(file, (db) => db.exec(`UPDATE access_tokens SET scopes = '["read","fly"]'`));
    expect(await detent.tokens.check(token)).toBeNull();
    raw(file, (db) => db.exec(`UPDATE access_tokens SET scopes = 'read'`));
    expect(await detent.tokens.check(token)).toBeNull();
  });

  it('is refused while the hash in its row is damaged', async () => {
    const file = await databaseFile();
    const detent = opened(file);
    const { token } = await detent.tokens.create(reader);
    raw(file, (db) => db.exec("UPDATE access_tokens SET secret_hash = 'ff'"));
    expect(await detent.tokens.check(token)).toBeNull();
  });
});

describe('a token of another process', () => {
  it('is good at once, and refused at once when any process revokes it', async () => {
    const file = await databaseFile();
    const [one, other] = [0, 1].map(() => opened(file)) as [Detent, Detent];
    const { id, token } = await one.tokens.create(reader);
    for (const detent of [one, other, one]) expect(await detent.tokens.check(token)).not.toBeNull();
    expect(await other.tokens.revoke(id)).toBe(true);
    for (const detent of [one, other]) expect(await detent.tokens.check(token)).toBeNull();
    expect(await one.tokens.revoke(id)).toBe(false);
    expect((await one.tokens.list()).map(({ revokedAt }) => revokedAt)).toEqual([expect.any(Number)]);
  });
});

describe('a malformed token', () => {
  it('is refused like a wrong one', async () => {
    const { tokens } = opened();
    const { id, token } = await tokens.create(reader);
    const altered = fc
      .tuple(fc.nat(token.length - 1), fc.string({ unit: anyCharacter, maxLength: 2 }))
      .map(([at, put]) => token.slice(0, at) + put + token.slice(at + 1));
    const likely = fc.oneof(
      altered,
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: anyCharacter }).map((text) => `${id}.${text}`),
      fc.nat(token.length - 1).map((length) => token.slice(0, length)),
      fc.constantFrom(`${token} `, ` ${token}`, `${token}.`, `.${token}`, `${token}\0`, token.toUpperCase()),
      fc.constantFrom('\ud800', '.', '..', id, `${id}.`, 'x'.repeat(1e6), `${id}.${'x'.repeat(1e6)}`),
      fc.anything(),
    );
    await fc.assert(
      fc.asyncProperty(likely, async (given) => {
        fc.pre(given !== token);
        expect(await tokens.check(given as string)).toBeNull();
      }),
      { numRuns: 500 },
    );
    expect(await tokens.check(token)).not.toBeNull();
  });
});

describe('the request of a token', () => {
  const refused: [string, string, unknown][] = [
    ['no scopes', 'INVALID_SCOPE', { scopes: [] }],
    ['an unknown scope', 'INVALID_SCOPE', { scopes: ['read', 'fly'] }],
    ['scopes that are no list', 'INVALID_SCOPE', { scopes: 'read' }],
    ['nothing', 'INVALID_ARGUMENTS', undefined],
    ['a misspelt field', 'INVALID_ARGUMENTS', { ...reader, userID: 'ada' }],
    ['no user where one is named', 'INVALID_ARGUMENTS', { ...reader, userId: null }],
    ['a user without a name', 'INVALID_ARGUMENTS', { ...reader, userId: '' }],
    ['a user of a long name', 'INVALID_ARGUMENTS', { ...reader, userId: 'u'.repeat(129) }],
    ['a user of two lines', 'INVALID_ARGUMENTS', { ...reader, userId: 'ada\nbob' }],
    ['a tenant that is no number', 'INVALID_ARGUMENTS', { ...reader, tenantId: '2' }],
    ['tenant 0', 'INVALID_ARGUMENTS', { ...reader, tenantId: 0 }],
    ['half a tenant', 'INVALID_ARGUMENTS', { ...reader, tenantId: 1.5 }],
    ['a name that is no text', 'INVALID_ARGUMENTS', { ...reader, name: 7 }],
    ['an end that has passed', 'INVALID_ARGUMENTS', { ...reader, expiresAt: 1 }],
    ['an end behind the calendar', 'INVALID_ARGUMENTS', { ...reader, expiresAt: 9e15 }],
    ['no end where one is named', 'INVALID_ARGUMENTS', { ...reader, expiresAt: Number.NaN }],
  ];

  it.each(refused)('with %s is refused as %s, and makes no token', async (_, code, request) => {
    const { tokens } = opened();
    await expect(tokens.create(request as TokenRequest)).rejects.toMatchObject({ code });
    expect(await tokens.list()).toEqual([]);
  });
});

describe('the tokens of a tenant', () => {
  it('are for one that exists', async () => {
    const { tokens } = opened();
    await expect(tokens.create({ ...reader, tenantId: 2 })).rejects.toMatchObject({ code: 'UNKNOWN_TENANT' });
    expect(await tokens.list()).toEqual([]);
  });

  it('are listed and revoked apart from those of others', async () => {
    const { tenants, tokens } = opened();
    await tenants.create({ name: 'acme' });
    const [first, second] = [await tokens.create(reader), await tokens.create({ ...reader, tenantId: 2 })];
    const listed = async (filter?: { tenantId?: number }) => (await tokens.list(filter)).map(({ id }) => id);
    expect(await listed({ tenantId: 2 })).toEqual([second.id]);
    expect((await listed()).sort()).toEqual([first.id, second.id].sort());
    await expect(tokens.revoke(first.id, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await tokens.check(first.token)).not.toBeNull();
    expect(await tokens.revoke(second.id, 2)).toBe(true);
  });

  it('that do not exist cannot be revoked', async () => {
    await expect(opened().tokens.revoke('tok_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(opened().tokens.revoke(undefined as never)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('the code of a login link', () => {
  it('is good once, for five minutes', async () => {
    const { detent, pass } = counting();
    const { code, expiresAt } = await detent.tokens.createLogin();
    expect(expiresAt).toBe(1_000 + 5 * 60_000);
    expect(await detent.tokens.useLogin(`${code}x`)).toBe(false);
    expect(await detent.tokens.useLogin(code)).toBe(true);
    expect(await detent.tokens.useLogin(code)).toBe(false);
    const late = await detent.tokens.createLogin();
    pass(5 * 60_000);
    expect(await detent.tokens.useLogin(late.code)).toBe(false);
  });

  it('is deleted after it has expired, when the next one is made; tokens that have expired stay in the list', async () => {
    const { detent, pass } = counting();
    await detent.tokens.create({ scopes: ['read'], expiresAt: 61_000 });
    const codes = [await detent.tokens.createLogin(), await detent.tokens.createLogin()];
    const isThere = ({ code }: { code: string }) =>
      detent.tokens.revoke(code.split('.')[0] ?? '').then(
        () => true,
        () => false,
      );
    pass(5 * 60_000 - 1);
    codes.push(await detent.tokens.createLogin());
    expect(await Promise.all(codes.map(isThere))).toEqual([true, true, true]);
    pass(1);
    codes.push(await detent.tokens.createLogin());
    expect(await Promise.all(codes.map(isThere))).toEqual([false, false, true, true]);
    expect(await detent.tokens.list()).toHaveLength(1);
  });

  it('is no token, and no token is one', async () => {
    const { detent } = counting();
    const { code } = await detent.tokens.createLogin();
    const { token } = await detent.tokens.create({ scopes: ['read', 'write', 'approve', 'admin'] });
    expect(await detent.tokens.check(code)).toBeNull();
    expect(await detent.tokens.useLogin(token)).toBe(false);
    expect(await detent.tokens.check(token)).not.toBeNull();
    expect(await detent.tokens.list()).toHaveLength(1);
  });

  it('can be revoked', async () => {
    const { detent } = counting();
    const { code } = await detent.tokens.createLogin();
    expect(await detent.tokens.revoke(code.split('.')[0] ?? '')).toBe(true);
    expect(await detent.tokens.useLogin(code)).toBe(false);
  });
});
