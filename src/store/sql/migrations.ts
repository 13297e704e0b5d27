import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';

const withoutRowid = sql`without rowid`;

/** The statements of a migration, in order. The build compiles them, so none can depend on what is stored. */
type Migration = (db: Kysely<unknown>) => readonly Compilable[];

/** Forward only. Never edit a released migration: add another one. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001_runs': (db) => [
    db.schema
      .createTable('tenants')
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('name', 'text', (c) => c.notNull().unique()),
    (db as Kysely<{ tenants: { id: number; name: string } }>)
      .insertInto('tenants')
      .values({ id: 1, name: 'default' }),

    db.schema
      .createTable('sessions')
      .addColumn('pk', 'integer', (c) => c.primaryKey())
      .addColumn('tenant_id', 'integer', (c) => c.notNull().references('tenants.id'))
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('head_run', 'integer', (c) => c.notNull())
      .addColumn('head_seq', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addUniqueConstraint('sessions_key', ['tenant_id', 'key']),

    db.schema
      .createTable('runs')
      .addColumn('pk', 'integer', (c) => c.primaryKey())
      .addColumn('tenant_id', 'integer', (c) => c.notNull().references('tenants.id'))
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('session_pk', 'integer', (c) => c.notNull().references('sessions.pk'))
      .addColumn('ordinal', 'integer', (c) => c.notNull())
      .addColumn('machine', 'text', (c) => c.notNull())
      .addColumn('version', 'integer', (c) => c.notNull())
      .addColumn('seq', 'integer', (c) => c.notNull())
      .addColumn('ended', 'integer', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('context', 'text', (c) => c.notNull())
      .addColumn('input', 'text', (c) => c.notNull())
      .addColumn('options', 'text', (c) => c.notNull())
      .addColumn('output', 'text')
      .addColumn('fence', 'integer', (c) => c.notNull())
      .addColumn('faults', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addColumn('updated_at', 'integer', (c) => c.notNull())
      .addUniqueConstraint('runs_id', ['tenant_id', 'id'])
      .addUniqueConstraint('runs_lane', ['session_pk', 'ordinal']),
    db.schema
      .createIndex('runs_active')
      .on('runs')
      .columns(['session_pk', 'ordinal'])
      .where(sql.ref('ended'), '=', 0),
    db.schema.createIndex('runs_newest').on('runs').columns(['tenant_id', 'pk']),

    // Child tables have integer keys and are clustered by them, because a commit costs as much as the pages it
    // changes.
    db.schema
      .createTable('run_events')
      .addColumn('run_pk', 'integer', (c) => c.notNull().references('runs.pk').onDelete('cascade'))
      .addColumn('seq', 'integer', (c) => c.notNull())
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addColumn('path', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('dedupe_key', 'text')
      .addPrimaryKeyConstraint('run_events_pk', ['run_pk', 'seq'])
      .modifyEnd(withoutRowid),
    db.schema
      .createIndex('run_events_dedupe')
      .unique()
      .on('run_events')
      .columns(['run_pk', 'dedupe_key'])
      .where(sql.ref('dedupe_key'), 'is not', null),

    db.schema
      .createTable('effects')
      .addColumn('run_pk', 'integer', (c) => c.notNull().references('runs.pk').onDelete('cascade'))
      .addColumn('n', 'integer', (c) => c.notNull())
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('params', 'text', (c) => c.notNull())
      .addColumn('input', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('attempt', 'integer', (c) => c.notNull())
      .addColumn('fence', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addColumn('updated_at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('effects_pk', ['run_pk', 'n'])
      .modifyEnd(withoutRowid),

    db.schema
      .createTable('timers')
      .addColumn('run_pk', 'integer', (c) => c.notNull().references('runs.pk').onDelete('cascade'))
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('event', 'text', (c) => c.notNull())
      .addColumn('due_at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('timers_pk', ['run_pk', 'id'])
      .modifyEnd(withoutRowid),
    db.schema.createIndex('timers_due').on('timers').column('due_at'),

    db.schema
      .createTable('messages')
      .addColumn('session_pk', 'integer', (c) => c.notNull().references('sessions.pk').onDelete('cascade'))
      .addColumn('run_pk', 'integer', (c) => c.notNull())
      .addColumn('seq', 'integer', (c) => c.notNull())
      .addColumn('i', 'integer', (c) => c.notNull())
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('messages_pk', ['session_pk', 'run_pk', 'seq', 'i'])
      .modifyEnd(withoutRowid),

    db.schema
      .createTable('confirmations')
      .addColumn('run_pk', 'integer', (c) => c.notNull().references('runs.pk').onDelete('cascade'))
      .addColumn('call', 'integer', (c) => c.notNull())
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('decision', 'text')
      .addColumn('asked_at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('confirmations_pk', ['run_pk', 'call'])
      .modifyEnd(withoutRowid),

    db.schema
      .createTable('artifacts')
      .addColumn('tenant_id', 'integer', (c) => c.notNull().references('tenants.id'))
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('run_pk', 'integer', (c) => c.notNull().references('runs.pk').onDelete('cascade'))
      .addColumn('mime', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('artifacts_pk', ['tenant_id', 'id']),

    db.schema
      .createTable('drivers')
      .addColumn('epoch', 'integer', (c) => c.primaryKey().autoIncrement())
      .addColumn('pid', 'integer', (c) => c.notNull())
      .addColumn('started_at', 'integer', (c) => c.notNull()),
  ],
  '0002_driver_errors': (db) => [db.schema.alterTable('drivers').addColumn('last_error', 'text')],
  '0003_models': (db) => [
    ...['pruned_run', 'pruned_seq'].map((column) =>
      db.schema.alterTable('sessions').addColumn(column, 'integer', (c) => c.notNull().defaultTo(0)),
    ),
    db.schema.alterTable('artifacts').addColumn('encoding', 'text', (c) => c.notNull().defaultTo('utf8')),

    // Names runs and sessions by their text ids, not by foreign keys: the ledger outlives them.
    db.schema
      .createTable('usage')
      .addColumn('tenant_id', 'integer', (c) => c.notNull().references('tenants.id'))
      .addColumn('run_id', 'text', (c) => c.notNull())
      .addColumn('session_key', 'text', (c) => c.notNull())
      .addColumn('n', 'integer', (c) => c.notNull())
      .addColumn('i', 'integer', (c) => c.notNull())
      .addColumn('purpose', 'text', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addColumn('day', 'text', (c) => c.notNull())
      .addColumn('asked', 'text', (c) => c.notNull())
      .addColumn('answered', 'text')
      .addColumn('input_tokens', 'integer', (c) => c.notNull())
      .addColumn('output_tokens', 'integer', (c) => c.notNull())
      .addColumn('cached_input_tokens', 'integer', (c) => c.notNull())
      .addColumn('cache_write_tokens', 'integer', (c) => c.notNull())
      .addColumn('reasoning_tokens', 'integer', (c) => c.notNull())
      .addColumn('cost_usd', 'real')
      .addColumn('cached', 'integer', (c) => c.notNull())
      .addColumn('error', 'text')
      // Time comes first, so that an insert goes to the end of the last page, and a period of time is contiguous.
      .addPrimaryKeyConstraint('usage_pk', ['tenant_id', 'at', 'run_id', 'n', 'i'])
      .modifyEnd(withoutRowid),

    db.schema
      .createTable('budgets')
      .addColumn('tenant_id', 'integer', (c) => c.notNull().references('tenants.id'))
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('period', 'text', (c) => c.notNull())
      .addColumn('max_tokens', 'integer')
      .addColumn('max_cost_usd', 'real')
      .addColumn('spent_tokens', 'integer', (c) => c.notNull())
      .addColumn('spent_cost_usd', 'real', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addColumn('updated_at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('budgets_pk', ['tenant_id', 'id', 'period'])
      .modifyEnd(withoutRowid),
    db.schema
      .createTable('budget_holds')
      .addColumn('run_pk', 'integer', (c) => c.notNull().references('runs.pk').onDelete('cascade'))
      .addColumn('n', 'integer', (c) => c.notNull())
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('budget', 'text', (c) => c.notNull())
      .addColumn('period', 'text', (c) => c.notNull())
      .addColumn('tokens', 'integer', (c) => c.notNull())
      .addColumn('cost_usd', 'real', (c) => c.notNull())
      .addColumn('expires_at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('budget_holds_pk', ['run_pk', 'n'])
      .modifyEnd(withoutRowid),
    db.schema
      .createIndex('budget_holds_of')
      .on('budget_holds')
      .columns(['tenant_id', 'budget', 'period', 'expires_at']),

    db.schema
      .createTable('cached_answers')
      .addColumn('tenant_id', 'integer', (c) => c.notNull().references('tenants.id'))
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('answer', 'text', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('cached_answers_pk', ['tenant_id', 'key']),
    db.schema.createIndex('cached_answers_at').on('cached_answers').column('at'),
  ],
  '0004_grants': (db) => [
    db.schema
      .createTable('grants')
      .addColumn('session_pk', 'integer', (c) => c.notNull().references('sessions.pk').onDelete('cascade'))
      .addColumn('n', 'integer', (c) => c.notNull())
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('tool', 'text', (c) => c.notNull())
      .addColumn('pattern', 'text', (c) => c.notNull())
      .addColumn('by', 'text')
      .addColumn('run_id', 'text', (c) => c.notNull())
      .addColumn('call', 'integer', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addColumn('revoked_at', 'integer')
      .addPrimaryKeyConstraint('grants_pk', ['session_pk', 'n'])
      .modifyEnd(withoutRowid),
  ],
  '0005_estimated_usage': (db) => [
    db.schema.alterTable('usage').addColumn('estimated', 'integer', (c) => c.notNull().defaultTo(0)),
  ],
  '0006_places': (db) => [
    db.schema
      .createTable('places')
      .addColumn('n', 'integer', (c) => c.primaryKey())
      .addColumn('path', 'text', (c) => c.notNull())
      .addColumn('first_epoch', 'integer', (c) => c.notNull()),
  ],
  '0007_settled_inputs': (db) => [
    raw(db, sql`update effects set input = null where status in ('done', 'cancelled') and input is not null`),
  ],
  '0008_many_drivers': (db) => [
    db.schema.alterTable('runs').addColumn('driver', 'integer'),
    db.schema.alterTable('runs').addColumn('last_driver', 'integer'),
    // Until here a fence was the driver's epoch times a million, and no driver lives while a database is migrated.
    raw(db, sql`update runs set last_driver = fence / 1000000 where fence > 0`),
    // A run waits for people alone only if none of its effects is to be performed.
    raw(
      db,
      sql`update runs set driver = 0 where fence = 0 or (
        (state like '%awaitingConfirm%' or state like '%reconciling%') and not exists
          (select 1 from effects where run_pk = runs.pk and status in ('pending', 'started')))`,
    ),
    db.schema.alterTable('effects').addColumn('driver', 'integer'),
    raw(db, sql`update effects set driver = fence / 1000000 where fence > 0`),
    db.schema.createIndex('runs_driver').on('runs').column('driver').where(sql.ref('ended'), '=', 0),
    db.schema.alterTable('drivers').addColumn('name', 'text', (c) => c.notNull().defaultTo('')),
    db.schema.alterTable('drivers').addColumn('address', 'text'),
    db.schema.alterTable('drivers').addColumn('token', 'text', (c) => c.notNull().defaultTo('')),
    db.schema.alterTable('drivers').addColumn('ended_at', 'integer'),
    raw(db, sql`update drivers set ended_at = started_at`),
    db.schema
      .createIndex('drivers_living')
      .on('drivers')
      .column('epoch')
      .where(sql.ref('ended_at'), 'is', null),
    db.schema
      .createTable('commands')
      .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
      .addColumn('tenant_id', 'integer', (c) => c.notNull().references('tenants.id'))
      .addColumn('run_pk', 'integer', (c) => c.notNull().references('runs.pk').onDelete('cascade'))
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('made_at', 'integer', (c) => c.notNull())
      .addColumn('outcome', 'text')
      .addColumn('done_at', 'integer'),
    db.schema.createIndex('commands_of').on('commands').column('run_pk'),
    db.schema.createIndex('commands_open').on('commands').column('id').where(sql.ref('outcome'), 'is', null),
  ],
  // Until here a second question about a call replaced the first one, and with it who had decided what.
  '0009_kept_confirmations': (db) => [
    db.schema.alterTable('confirmations').renameTo('replaced_confirmations'),
    db.schema
      .createTable('confirmations')
      .addColumn('run_pk', 'integer', (c) => c.notNull().references('runs.pk').onDelete('cascade'))
      .addColumn('call', 'integer', (c) => c.notNull())
      .addColumn('n', 'integer', (c) => c.notNull())
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('decision', 'text')
      .addColumn('asked_at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('confirmations_pk', ['run_pk', 'call', 'n'])
      .modifyEnd(withoutRowid),
    // Of a question that is open, the decision was that of an earlier one.
    raw(
      db,
      sql`insert into confirmations
        select run_pk, call, 1, tenant_id, kind, status, hash, body,
          case status when 'open' then null else decision end, asked_at from replaced_confirmations`,
    ),
    db.schema.dropTable('replaced_confirmations'),
  ],
  '0010_runs_at_rest': (db) => [
    // A driver finds those that it had last.
    db.schema
      .createIndex('runs_at_rest')
      .on('runs')
      .column('last_driver')
      .where(sql.ref('ended'), '=', 0)
      .where(sql.ref('driver'), '=', 0),
    // Drivers look for runs without a driver again and again, so the index has every column that decides whether a driver takes a run.
    db.schema
      .createIndex('runs_abandoned')
      .on('runs')
      .columns(['driver', 'pk', 'tenant_id', 'id', 'session_pk', 'last_driver', 'updated_at'])
      .where(sql.ref('ended'), '=', 0)
      .where(sql.ref('driver'), 'is', null),
  ],
  '0011_deleted_keys': (db) => [
    // Other processes may know a session or run by its key: no other gets it. AUTOINCREMENT would copy the tables.
    db.schema
      .createTable('deleted_keys')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('pk', 'integer', (c) => c.notNull())
      .modifyEnd(withoutRowid),
    ...['sessions', 'runs'].map((name) =>
      raw(
        db,
        sql`create trigger ${sql.ref(`${name}_deleted`)} after delete on ${sql.ref(name)} begin
          insert into deleted_keys (name, pk) values (${sql.lit(name)}, old.pk)
            on conflict (name) do update set pk = max(pk, excluded.pk);
        end`,
      ),
    ),
  ],
  // Rows of messages leave out the fields that have their usual values: an older program must not read them.
  '0012_lean_messages': () => [],
  '0013_access_tokens': (db) => [
    db.schema
      .createTable('access_tokens')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('user_id', 'text')
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('scopes', 'text', (c) => c.notNull())
      .addColumn('secret_hash', 'text', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addColumn('expires_at', 'integer')
      .addColumn('revoked_at', 'integer')
      .modifyEnd(withoutRowid),
  ],
  '0014_uploads': (db) => [
    db.schema
      .createTable('uploads')
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text')
      .addColumn('name', 'text')
      .addColumn('mime', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('uploads_pk', ['tenant_id', 'id']),
    // Old ones are looked for with every upload.
    db.schema.createIndex('uploads_by_age').on('uploads').column('created_at'),
  ],
  '0015_users_of_sessions': (db) => [
    db.schema.alterTable('sessions').addColumn('user_id', 'text'),
    // A session of before is of the user of its first run, so that no other user comes by what was said in it.
    raw(
      db,
      sql`update sessions set user_id = (
          select case when json_type(options, '$.principal.userId') = 'text'
            then json_extract(options, '$.principal.userId') end
          from runs where session_pk = sessions.pk and json_valid(options) order by ordinal limit 1)`,
    ),
    db.schema
      .createIndex('sessions_of_users')
      .on('sessions')
      .columns(['tenant_id', 'user_id', 'pk'])
      .where(sql.ref('user_id'), 'is not', null),
  ],
  '0016_tenant_workspaces': (db) => [db.schema.alterTable('tenants').addColumn('workspace', 'text')],
  '0017_users_of_usage': (db) => [
    db.schema.alterTable('usage').addColumn('user_id', 'text'),
    // Calls of sessions that were deleted before are of no user.
    raw(
      db,
      sql`update usage set user_id = (
          select user_id from sessions where tenant_id = usage.tenant_id and key = usage.session_key)`,
    ),
  ],
  '0018_jobs': (db) => [
    db.schema
      .createTable('jobs')
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text')
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('run_pk', 'integer', (c) => c.notNull().references('runs.pk'))
      .addColumn('run_id', 'text', (c) => c.notNull())
      .addColumn('source', 'text', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addColumn('updated_at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('jobs_pk', ['tenant_id', 'id'])
      .modifyEnd(withoutRowid),
    // For the foreign key: SQLite looks for the deleted run here.
    db.schema.createIndex('jobs_of_runs').on('jobs').column('run_pk'),
    // Runs of jobs that went on in another run, or were removed, are looked for again and again.
    db.schema
      .createIndex('runs_of_jobs_ended')
      .on('runs')
      .columns(['updated_at', 'pk'])
      .where(sql.ref('machine'), '=', 'job')
      .where(sql.ref('ended'), '=', 1),
    db.schema
      .createIndex('jobs_of_users')
      .on('jobs')
      .columns(['tenant_id', 'user_id', 'id'])
      .where(sql.ref('user_id'), 'is not', null),
    db.schema
      .createTable('job_fires')
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('job_id', 'text', (c) => c.notNull())
      .addColumn('n', 'integer', (c) => c.notNull())
      .addColumn('slot', 'integer', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('run_id', 'text')
      .addColumn('error', 'text')
      .addColumn('begun_at', 'integer')
      .addColumn('ended_at', 'integer')
      .addPrimaryKeyConstraint('job_fires_pk', ['tenant_id', 'job_id', 'n'])
      .addForeignKeyConstraint('job_fires_job', ['tenant_id', 'job_id'], 'jobs', ['tenant_id', 'id'], (c) =>
        c.onDelete('cascade'),
      )
      .modifyEnd(withoutRowid),
    // A slot is fired once, or recorded with its reason.
    db.schema
      .createIndex('job_fires_slots')
      .unique()
      .on('job_fires')
      .columns(['tenant_id', 'job_id', 'slot'])
      .where(sql.ref('kind'), '=', 'slot'),
    db.schema
      .createTable('deliveries')
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('job_id', 'text', (c) => c.notNull())
      .addColumn('n', 'integer', (c) => c.notNull())
      .addColumn('target', 'integer', (c) => c.notNull())
      .addColumn('is_alert', 'integer', (c) => c.notNull())
      .addColumn('spec', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('attempt', 'integer', (c) => c.notNull())
      .addColumn('error', 'text')
      .addColumn('due_at', 'integer')
      .addColumn('updated_at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('deliveries_pk', ['tenant_id', 'job_id', 'n', 'is_alert', 'target'])
      .addForeignKeyConstraint(
        'deliveries_fire',
        ['tenant_id', 'job_id', 'n'],
        'job_fires',
        ['tenant_id', 'job_id', 'n'],
        (c) => c.onDelete('cascade'),
      )
      .modifyEnd(withoutRowid),
  ],
  '0019_request_keys': (db) => [
    db.schema
      .createTable('request_keys')
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('owner', 'text', (c) => c.notNull())
      .addColumn('digest', 'text', (c) => c.notNull())
      .addColumn('driver', 'integer', (c) => c.notNull())
      .addColumn('answer', 'text')
      .addColumn('at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('request_keys_pk', ['tenant_id', 'name'])
      .modifyEnd(withoutRowid),
    // Old ones are looked for with every new one.
    db.schema.createIndex('request_keys_by_age').on('request_keys').column('at'),
    db.schema.createIndex('request_keys_of_owner').on('request_keys').columns(['tenant_id', 'owner', 'at']),
  ],
  '0020_runs_of_tokens': (db) => [db.schema.alterTable('access_tokens').addColumn('max_runs', 'integer')],
  // Pages count the runs that ended today. Its rows are written once, when a run ends.
  '0021_ended_runs': (db) => [
    db.schema
      .createIndex('runs_ended')
      .on('runs')
      .columns(['tenant_id', 'updated_at'])
      .where(sql.ref('ended'), '=', 1),
  ],
  // Hooks are told at least once that a run waits, and of the decision. Of questions from before they are told nothing.
  '0022_told_confirmations': (db) => [
    db.schema.alterTable('confirmations').addColumn('told', 'integer', (c) => c.notNull().defaultTo(2)),
    raw(
      db,
      sql`create index confirmations_untold on confirmations (run_pk)
        where ((told = 0 and status = 'open') or (told = 1 and status <> 'open'))`,
    ),
  ],
  '0023_sight_of_tokens': (db) => [db.schema.alterTable('access_tokens').addColumn('sight', 'text')],
  '0024_tainted_files': (db) => [
    db.schema
      .createTable('tainted_files')
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('path', 'text', (c) => c.notNull())
      .addColumn('bytes', 'integer', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('tainted_files_pk', ['tenant_id', 'path'])
      .modifyEnd(withoutRowid),
  ],
  // The transitions of a tenant in the order of their commits. Those from before are not in it.
  '0025_run_feed': (db) => [
    db.schema
      .createTable('run_feed')
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('pos', 'integer', (c) => c.notNull())
      .addColumn('run_pk', 'integer', (c) => c.notNull())
      .addColumn('seq', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('run_feed_pk', ['tenant_id', 'pos'])
      .modifyEnd(withoutRowid),
    db.schema.createIndex('run_feed_runs').on('run_feed').column('run_pk'),
    // A statement of its own would cost each transition more. What is copied or imported does not move on.
    raw(
      db,
      sql`create trigger run_feed_moved after update of seq on runs when new.seq > old.seq begin
        insert into run_feed (tenant_id, pos, run_pk, seq) values (
          new.tenant_id,
          (select coalesce(max(pos), 0) + 1 from run_feed where tenant_id = new.tenant_id),
          new.pk,
          new.seq
        );
      end`,
    ),
    // The last position stays, without its run: it must not be given again to a reader who has it.
    raw(
      db,
      sql`create trigger run_feed_left after delete on runs begin
        update run_feed set run_pk = 0 where run_pk = old.pk
          and pos = (select max(pos) from run_feed where tenant_id = old.tenant_id);
        delete from run_feed where run_pk = old.pk;
      end`,
    ),
  ],
  // The place of a transition is in its own row: the table and its triggers cost each step 4 % more.
  '0026_places_in_feed': (db) => [
    db.schema.alterTable('run_events').addColumn('pos', 'integer'),
    raw(
      db,
      sql`update run_events set pos = placed.pos from run_feed as placed
        where placed.run_pk = run_events.run_pk and placed.seq = run_events.seq`,
    ),
    raw(db, sql`create index run_events_feed on run_events (tenant_id, pos) where pos is not null`),
    raw(
      db,
      sql`insert into deleted_keys (name, pk) select 'feed ' || tenant_id, max(pos) from run_feed group by tenant_id`,
    ),
    raw(db, sql`drop trigger run_feed_moved`),
    raw(db, sql`drop trigger run_feed_left`),
    db.schema.dropTable('run_feed'),
    // The last place must not be given again to a reader who has it.
    raw(
      db,
      sql`create trigger run_events_left before delete on runs begin
        insert into deleted_keys (name, pk)
          select 'feed ' || old.tenant_id, pos from run_events
            where run_pk = old.pk and pos is not null order by seq desc limit 1
          on conflict (name) do update set pk = max(pk, excluded.pk);
      end`,
    ),
  ],
  '0027_effects_of_requests': (db) => [db.schema.alterTable('request_keys').addColumn('effect', 'text')],
  // The keys of commands were in the log, and those of clients' requests there, too, beside the requests themselves.
  '0028_keys_of_commands': (db) => [
    db.schema
      .alterTable('request_keys')
      .addColumn('run_pk', 'integer', (c) => c.references('runs.pk').onDelete('cascade')),
    db.schema
      .createIndex('request_keys_of_run')
      .on('request_keys')
      .column('run_pk')
      .where(sql.ref('run_pk'), 'is not', null),
    db.schema.dropIndex('request_keys_by_age'),
    db.schema
      .createIndex('request_keys_by_age')
      .on('request_keys')
      .column('at')
      .where(sql.ref('run_pk'), 'is', null),
    // Requests that were done, but had no answer yet when their process died.
    raw(
      db,
      sql`update request_keys set effect = done.effect
        from (
          select run_events.tenant_id, dedupe_key, case type
            when 'run.message' then json_quote(runs.id)
            when 'confirm.decide' then json_object('applied', json('true'), 'verdict', case
              when body ->> 'given' is not null then 'result'
              when body ->> 'answer' is not null then 'answer'
              else body ->> 'verdict'
            end, 'stands', json('true'))
            when 'tool.reconcile' then
              json_object('applied', json('true'), 'verdict', body ->> 'verdict', 'stands', json('true'))
            else json_object('taken', json('true'))
          end as effect
          from run_events join runs on runs.pk = run_events.run_pk where dedupe_key is not null
        ) as done
        where done.tenant_id = request_keys.tenant_id and done.dedupe_key = request_keys.name
          and request_keys.effect is null and request_keys.answer is null`,
    ),
    raw(
      db,
      sql`insert into request_keys (tenant_id, name, owner, digest, driver, effect, at, run_pk)
        select run_events.tenant_id, 'command ' || runs.id || ' ' || dedupe_key, '', '',
            coalesce(runs.last_driver, 0), 'null', run_events.at, run_pk
          from run_events join runs on runs.pk = run_events.run_pk where dedupe_key is not null`,
    ),
    // Of commands that wait: a key that is the name of a request is the request's.
    raw(
      db,
      sql`update commands set body = json_set(json_remove(body, '$.key'), '$.notes', json_object(
          'requestId', body ->> 'key',
          'effect', json(case kind
            when 'message' then json_quote((select id from runs where pk = run_pk))
            when 'event' then json_object('taken', json('true'))
            else json_object('applied', json('true'), 'verdict', body ->> '$.decision.verdict', 'stands', json('true'))
          end)
        ))
        where outcome is null and exists (
          select 1 from request_keys
            where request_keys.tenant_id = commands.tenant_id and request_keys.name = commands.body ->> 'key'
        )`,
    ),
    db.schema.dropIndex('run_events_dedupe'),
    db.schema.alterTable('run_events').dropColumn('dedupe_key'),
  ],
  '0029_names_of_sessions': (db) => [
    db.schema.alterTable('sessions').addColumn('title', 'text'),
    db.schema.alterTable('sessions').addColumn('pinned', 'integer', (c) => c.notNull().defaultTo(0)),
  ],
  '0030_least_of_holds': (db) => [
    db.schema
      .alterTable('budget_holds')
      .addColumn('least_tokens', 'integer', (c) => c.notNull().defaultTo(0)),
    db.schema.alterTable('budget_holds').addColumn('least_cost_usd', 'real', (c) => c.notNull().defaultTo(0)),
  ],
  '0031_held_calls': (db) => [
    db.schema.alterTable('confirmations').addColumn('holder', 'text'),
    db.schema.alterTable('confirmations').addColumn('held_until', 'integer'),
  ],
  '0032_leavings': (db) => [
    db.schema
      .createTable('leavings')
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('to_user', 'text')
      .addColumn('done', 'integer', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('leavings_pk', ['tenant_id', 'user_id'])
      .modifyEnd(withoutRowid),
  ],
  // Since then sessions have takeovers, too, which an earlier program could not move.
  '0033_ratings': (db) => [
    db.schema
      .createTable('ratings')
      .addColumn('run_pk', 'integer', (c) => c.notNull().references('runs.pk').onDelete('cascade'))
      .addColumn('seq', 'integer', (c) => c.notNull())
      .addColumn('tenant_id', 'integer', (c) => c.notNull())
      .addColumn('session_pk', 'integer', (c) => c.notNull())
      .addColumn('thumb', 'text', (c) => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('by', 'text', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('ratings_pk', ['run_pk', 'seq'])
      .modifyEnd(withoutRowid),
    db.schema.createIndex('ratings_of_sessions').on('ratings').column('session_pk'),
  ],
  '0034_notices': (db) => [
    db.schema
      .createTable('notices')
      .addColumn('tenant_id', 'integer', (c) => c.notNull().references('tenants.id'))
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('session_pk', 'integer', (c) => c.notNull().references('sessions.pk').onDelete('cascade'))
      .addColumn('run_id', 'text', (c) => c.notNull())
      .addColumn('call', 'integer')
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('attempt', 'integer', (c) => c.notNull())
      .addColumn('error', 'text')
      .addColumn('due_at', 'integer', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('notices_pk', ['tenant_id', 'id'])
      .modifyEnd(withoutRowid),
    raw(db, sql`create index notices_due on notices (due_at) where status = 'pending'`),
    db.schema.createIndex('notices_of_sessions').on('notices').column('session_pk'),
    db.schema
      .createTable('notice_places')
      .addColumn('tenant_id', 'integer', (c) => c.primaryKey().references('tenants.id'))
      .addColumn('pos', 'integer', (c) => c.notNull()),
  ],
  '0035_login_failures_additive': (db) => [
    db.schema
      .createTable('login_failures')
      .addColumn('source', 'text', (c) => c.primaryKey())
      .addColumn('full_at', 'integer', (c) => c.notNull())
      .modifyEnd(withoutRowid),
  ],
  '0036_delivery_ids_additive': (db) => [db.schema.alterTable('deliveries').addColumn('message_id', 'text')],
};

function raw(db: Kysely<unknown>, statement: RawBuilder<unknown>): Compilable {
  return { compile: () => statement.compile(db) };
}
