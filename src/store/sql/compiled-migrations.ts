// Written by scripts/write-statements.ts from migrations.ts; a test fails while it is out of date.
import type { CompiledMigrations } from './compiled-statement.ts';

export const compiledMigrations: CompiledMigrations = {
  "0001_runs": [
    {
      "sql": "create table \"tenants\" (\"id\" integer primary key, \"name\" text not null unique)",
      "parameters": []
    },
    {
      "sql": "insert into \"tenants\" (\"id\", \"name\") values (+?, +?)",
      "parameters": [
        1,
        "default"
      ]
    },
    {
      "sql": "create table \"sessions\" (\"pk\" integer primary key, \"tenant_id\" integer not null references \"tenants\" (\"id\"), \"key\" text not null, \"head_run\" integer not null, \"head_seq\" integer not null, \"created_at\" integer not null, constraint \"sessions_key\" unique (\"tenant_id\", \"key\"))",
      "parameters": []
    },
    {
      "sql": "create table \"runs\" (\"pk\" integer primary key, \"tenant_id\" integer not null references \"tenants\" (\"id\"), \"id\" text not null, \"session_pk\" integer not null references \"sessions\" (\"pk\"), \"ordinal\" integer not null, \"machine\" text not null, \"version\" integer not null, \"seq\" integer not null, \"ended\" integer not null, \"state\" text not null, \"context\" text not null, \"input\" text not null, \"options\" text not null, \"output\" text, \"fence\" integer not null, \"faults\" integer not null, \"created_at\" integer not null, \"updated_at\" integer not null, constraint \"runs_id\" unique (\"tenant_id\", \"id\"), constraint \"runs_lane\" unique (\"session_pk\", \"ordinal\"))",
      "parameters": []
    },
    {
      "sql": "create index \"runs_active\" on \"runs\" (\"session_pk\", \"ordinal\") where \"ended\" = 0",
      "parameters": []
    },
    {
      "sql": "create index \"runs_newest\" on \"runs\" (\"tenant_id\", \"pk\")",
      "parameters": []
    },
    {
      "sql": "create table \"run_events\" (\"run_pk\" integer not null references \"runs\" (\"pk\") on delete cascade, \"seq\" integer not null, \"tenant_id\" integer not null, \"type\" text not null, \"body\" text not null, \"at\" integer not null, \"path\" text not null, \"hash\" text not null, \"dedupe_key\" text, constraint \"run_events_pk\" primary key (\"run_pk\", \"seq\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create unique index \"run_events_dedupe\" on \"run_events\" (\"run_pk\", \"dedupe_key\") where \"dedupe_key\" is not null",
      "parameters": []
    },
    {
      "sql": "create table \"effects\" (\"run_pk\" integer not null references \"runs\" (\"pk\") on delete cascade, \"n\" integer not null, \"tenant_id\" integer not null, \"name\" text not null, \"params\" text not null, \"input\" text, \"status\" text not null, \"attempt\" integer not null, \"fence\" integer not null, \"created_at\" integer not null, \"updated_at\" integer not null, constraint \"effects_pk\" primary key (\"run_pk\", \"n\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create table \"timers\" (\"run_pk\" integer not null references \"runs\" (\"pk\") on delete cascade, \"id\" text not null, \"tenant_id\" integer not null, \"event\" text not null, \"due_at\" integer not null, constraint \"timers_pk\" primary key (\"run_pk\", \"id\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create index \"timers_due\" on \"timers\" (\"due_at\")",
      "parameters": []
    },
    {
      "sql": "create table \"messages\" (\"session_pk\" integer not null references \"sessions\" (\"pk\") on delete cascade, \"run_pk\" integer not null, \"seq\" integer not null, \"i\" integer not null, \"tenant_id\" integer not null, \"role\" text not null, \"body\" text not null, \"at\" integer not null, constraint \"messages_pk\" primary key (\"session_pk\", \"run_pk\", \"seq\", \"i\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create table \"confirmations\" (\"run_pk\" integer not null references \"runs\" (\"pk\") on delete cascade, \"call\" integer not null, \"tenant_id\" integer not null, \"kind\" text not null, \"status\" text not null, \"hash\" text not null, \"body\" text not null, \"decision\" text, \"asked_at\" integer not null, constraint \"confirmations_pk\" primary key (\"run_pk\", \"call\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create table \"artifacts\" (\"tenant_id\" integer not null references \"tenants\" (\"id\"), \"id\" text not null, \"run_pk\" integer not null references \"runs\" (\"pk\") on delete cascade, \"mime\" text not null, \"body\" text not null, \"created_at\" integer not null, constraint \"artifacts_pk\" primary key (\"tenant_id\", \"id\"))",
      "parameters": []
    },
    {
      "sql": "create table \"drivers\" (\"epoch\" integer primary key autoincrement, \"pid\" integer not null, \"started_at\" integer not null)",
      "parameters": []
    }
  ],
  "0002_driver_errors": [
    {
      "sql": "alter table \"drivers\" add column \"last_error\" text",
      "parameters": []
    }
  ],
  "0003_models": [
    {
      "sql": "alter table \"sessions\" add column \"pruned_run\" integer default 0 not null",
      "parameters": []
    },
    {
      "sql": "alter table \"sessions\" add column \"pruned_seq\" integer default 0 not null",
      "parameters": []
    },
    {
      "sql": "alter table \"artifacts\" add column \"encoding\" text default 'utf8' not null",
      "parameters": []
    },
    {
      "sql": "create table \"usage\" (\"tenant_id\" integer not null references \"tenants\" (\"id\"), \"run_id\" text not null, \"session_key\" text not null, \"n\" integer not null, \"i\" integer not null, \"purpose\" text not null, \"at\" integer not null, \"day\" text not null, \"asked\" text not null, \"answered\" text, \"input_tokens\" integer not null, \"output_tokens\" integer not null, \"cached_input_tokens\" integer not null, \"cache_write_tokens\" integer not null, \"reasoning_tokens\" integer not null, \"cost_usd\" real, \"cached\" integer not null, \"error\" text, constraint \"usage_pk\" primary key (\"tenant_id\", \"at\", \"run_id\", \"n\", \"i\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create table \"budgets\" (\"tenant_id\" integer not null references \"tenants\" (\"id\"), \"id\" text not null, \"period\" text not null, \"max_tokens\" integer, \"max_cost_usd\" real, \"spent_tokens\" integer not null, \"spent_cost_usd\" real not null, \"created_at\" integer not null, \"updated_at\" integer not null, constraint \"budgets_pk\" primary key (\"tenant_id\", \"id\", \"period\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create table \"budget_holds\" (\"run_pk\" integer not null references \"runs\" (\"pk\") on delete cascade, \"n\" integer not null, \"tenant_id\" integer not null, \"budget\" text not null, \"period\" text not null, \"tokens\" integer not null, \"cost_usd\" real not null, \"expires_at\" integer not null, constraint \"budget_holds_pk\" primary key (\"run_pk\", \"n\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create index \"budget_holds_of\" on \"budget_holds\" (\"tenant_id\", \"budget\", \"period\", \"expires_at\")",
      "parameters": []
    },
    {
      "sql": "create table \"cached_answers\" (\"tenant_id\" integer not null references \"tenants\" (\"id\"), \"key\" text not null, \"answer\" text not null, \"at\" integer not null, constraint \"cached_answers_pk\" primary key (\"tenant_id\", \"key\"))",
      "parameters": []
    },
    {
      "sql": "create index \"cached_answers_at\" on \"cached_answers\" (\"at\")",
      "parameters": []
    }
  ],
  "0004_grants": [
    {
      "sql": "create table \"grants\" (\"session_pk\" integer not null references \"sessions\" (\"pk\") on delete cascade, \"n\" integer not null, \"tenant_id\" integer not null, \"tool\" text not null, \"pattern\" text not null, \"by\" text, \"run_id\" text not null, \"call\" integer not null, \"at\" integer not null, \"revoked_at\" integer, constraint \"grants_pk\" primary key (\"session_pk\", \"n\")) without rowid",
      "parameters": []
    }
  ],
  "0005_estimated_usage": [
    {
      "sql": "alter table \"usage\" add column \"estimated\" integer default 0 not null",
      "parameters": []
    }
  ],
  "0006_places": [
    {
      "sql": "create table \"places\" (\"n\" integer primary key, \"path\" text not null, \"first_epoch\" integer not null)",
      "parameters": []
    }
  ],
  "0007_settled_inputs": [
    {
      "sql": "update effects set input = null where status in ('done', 'cancelled') and input is not null",
      "parameters": []
    }
  ],
  "0008_many_drivers": [
    {
      "sql": "alter table \"runs\" add column \"driver\" integer",
      "parameters": []
    },
    {
      "sql": "alter table \"runs\" add column \"last_driver\" integer",
      "parameters": []
    },
    {
      "sql": "update runs set last_driver = fence / 1000000 where fence > 0",
      "parameters": []
    },
    {
      "sql": "update runs set driver = 0 where fence = 0 or (\n        (state like '%awaitingConfirm%' or state like '%reconciling%') and not exists\n          (select 1 from effects where run_pk = runs.pk and status in ('pending', 'started')))",
      "parameters": []
    },
    {
      "sql": "alter table \"effects\" add column \"driver\" integer",
      "parameters": []
    },
    {
      "sql": "update effects set driver = fence / 1000000 where fence > 0",
      "parameters": []
    },
    {
      "sql": "create index \"runs_driver\" on \"runs\" (\"driver\") where \"ended\" = 0",
      "parameters": []
    },
    {
      "sql": "alter table \"drivers\" add column \"name\" text default '' not null",
      "parameters": []
    },
    {
      "sql": "alter table \"drivers\" add column \"address\" text",
      "parameters": []
    },
    {
      "sql": "alter table \"drivers\" add column \"token\" text default '' not null",
      "parameters": []
    },
    {
      "sql": "alter table \"drivers\" add column \"ended_at\" integer",
      "parameters": []
    },
    {
      "sql": "update drivers set ended_at = started_at",
      "parameters": []
    },
    {
      "sql": "create index \"drivers_living\" on \"drivers\" (\"epoch\") where \"ended_at\" is null",
      "parameters": []
    },
    {
      "sql": "create table \"commands\" (\"id\" integer primary key autoincrement, \"tenant_id\" integer not null references \"tenants\" (\"id\"), \"run_pk\" integer not null references \"runs\" (\"pk\") on delete cascade, \"kind\" text not null, \"body\" text not null, \"made_at\" integer not null, \"outcome\" text, \"done_at\" integer)",
      "parameters": []
    },
    {
      "sql": "create index \"commands_of\" on \"commands\" (\"run_pk\")",
      "parameters": []
    },
    {
      "sql": "create index \"commands_open\" on \"commands\" (\"id\") where \"outcome\" is null",
      "parameters": []
    }
  ],
  "0009_kept_confirmations": [
    {
      "sql": "alter table \"confirmations\" rename to \"replaced_confirmations\"",
      "parameters": []
    },
    {
      "sql": "create table \"confirmations\" (\"run_pk\" integer not null references \"runs\" (\"pk\") on delete cascade, \"call\" integer not null, \"n\" integer not null, \"tenant_id\" integer not null, \"kind\" text not null, \"status\" text not null, \"hash\" text not null, \"body\" text not null, \"decision\" text, \"asked_at\" integer not null, constraint \"confirmations_pk\" primary key (\"run_pk\", \"call\", \"n\")) without rowid",
      "parameters": []
    },
    {
      "sql": "insert into confirmations\n        select run_pk, call, 1, tenant_id, kind, status, hash, body,\n          case status when 'open' then null else decision end, asked_at from replaced_confirmations",
      "parameters": []
    },
    {
      "sql": "drop table \"replaced_confirmations\"",
      "parameters": []
    }
  ],
  "0010_runs_at_rest": [
    {
      "sql": "create index \"runs_at_rest\" on \"runs\" (\"last_driver\") where \"ended\" = 0 and \"driver\" = 0",
      "parameters": []
    },
    {
      "sql": "create index \"runs_abandoned\" on \"runs\" (\"driver\", \"pk\", \"tenant_id\", \"id\", \"session_pk\", \"last_driver\", \"updated_at\") where \"ended\" = 0 and \"driver\" is null",
      "parameters": []
    }
  ],
  "0011_deleted_keys": [
    {
      "sql": "create table \"deleted_keys\" (\"name\" text primary key, \"pk\" integer not null) without rowid",
      "parameters": []
    },
    {
      "sql": "create trigger \"sessions_deleted\" after delete on \"sessions\" begin\n          insert into deleted_keys (name, pk) values ('sessions', old.pk)\n            on conflict (name) do update set pk = max(pk, excluded.pk);\n        end",
      "parameters": []
    },
    {
      "sql": "create trigger \"runs_deleted\" after delete on \"runs\" begin\n          insert into deleted_keys (name, pk) values ('runs', old.pk)\n            on conflict (name) do update set pk = max(pk, excluded.pk);\n        end",
      "parameters": []
    }
  ],
  "0012_lean_messages": [],
  "0013_access_tokens": [
    {
      "sql": "create table \"access_tokens\" (\"id\" text primary key, \"tenant_id\" integer not null, \"user_id\" text, \"name\" text not null, \"scopes\" text not null, \"secret_hash\" text not null, \"created_at\" integer not null, \"expires_at\" integer, \"revoked_at\" integer) without rowid",
      "parameters": []
    }
  ],
  "0014_uploads": [
    {
      "sql": "create table \"uploads\" (\"tenant_id\" integer not null, \"id\" text not null, \"user_id\" text, \"name\" text, \"mime\" text not null, \"body\" text not null, \"created_at\" integer not null, constraint \"uploads_pk\" primary key (\"tenant_id\", \"id\"))",
      "parameters": []
    },
    {
      "sql": "create index \"uploads_by_age\" on \"uploads\" (\"created_at\")",
      "parameters": []
    }
  ],
  "0015_users_of_sessions": [
    {
      "sql": "alter table \"sessions\" add column \"user_id\" text",
      "parameters": []
    },
    {
      "sql": "update sessions set user_id = (\n          select case when json_type(options, '$.principal.userId') = 'text'\n            then json_extract(options, '$.principal.userId') end\n          from runs where session_pk = sessions.pk and json_valid(options) order by ordinal limit 1)",
      "parameters": []
    },
    {
      "sql": "create index \"sessions_of_users\" on \"sessions\" (\"tenant_id\", \"user_id\", \"pk\") where \"user_id\" is not null",
      "parameters": []
    }
  ],
  "0016_tenant_workspaces": [
    {
      "sql": "alter table \"tenants\" add column \"workspace\" text",
      "parameters": []
    }
  ],
  "0017_users_of_usage": [
    {
      "sql": "alter table \"usage\" add column \"user_id\" text",
      "parameters": []
    },
    {
      "sql": "update usage set user_id = (\n          select user_id from sessions where tenant_id = usage.tenant_id and key = usage.session_key)",
      "parameters": []
    }
  ],
  "0018_jobs": [
    {
      "sql": "create table \"jobs\" (\"tenant_id\" integer not null, \"id\" text not null, \"user_id\" text, \"key\" text not null, \"run_pk\" integer not null references \"runs\" (\"pk\"), \"run_id\" text not null, \"source\" text not null, \"created_at\" integer not null, \"updated_at\" integer not null, constraint \"jobs_pk\" primary key (\"tenant_id\", \"id\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create index \"jobs_of_runs\" on \"jobs\" (\"run_pk\")",
      "parameters": []
    },
    {
      "sql": "create index \"runs_of_jobs_ended\" on \"runs\" (\"updated_at\", \"pk\") where \"machine\" = 'job' and \"ended\" = 1",
      "parameters": []
    },
    {
      "sql": "create index \"jobs_of_users\" on \"jobs\" (\"tenant_id\", \"user_id\", \"id\") where \"user_id\" is not null",
      "parameters": []
    },
    {
      "sql": "create table \"job_fires\" (\"tenant_id\" integer not null, \"job_id\" text not null, \"n\" integer not null, \"slot\" integer not null, \"kind\" text not null, \"status\" text not null, \"reason\" text, \"run_id\" text, \"error\" text, \"begun_at\" integer, \"ended_at\" integer, constraint \"job_fires_pk\" primary key (\"tenant_id\", \"job_id\", \"n\"), constraint \"job_fires_job\" foreign key (\"tenant_id\", \"job_id\") references \"jobs\" (\"tenant_id\", \"id\") on delete cascade) without rowid",
      "parameters": []
    },
    {
      "sql": "create unique index \"job_fires_slots\" on \"job_fires\" (\"tenant_id\", \"job_id\", \"slot\") where \"kind\" = 'slot'",
      "parameters": []
    },
    {
      "sql": "create table \"deliveries\" (\"tenant_id\" integer not null, \"job_id\" text not null, \"n\" integer not null, \"target\" integer not null, \"is_alert\" integer not null, \"spec\" text not null, \"status\" text not null, \"attempt\" integer not null, \"error\" text, \"due_at\" integer, \"updated_at\" integer not null, constraint \"deliveries_pk\" primary key (\"tenant_id\", \"job_id\", \"n\", \"is_alert\", \"target\"), constraint \"deliveries_fire\" foreign key (\"tenant_id\", \"job_id\", \"n\") references \"job_fires\" (\"tenant_id\", \"job_id\", \"n\") on delete cascade) without rowid",
      "parameters": []
    }
  ],
  "0019_request_keys": [
    {
      "sql": "create table \"request_keys\" (\"tenant_id\" integer not null, \"name\" text not null, \"owner\" text not null, \"digest\" text not null, \"driver\" integer not null, \"answer\" text, \"at\" integer not null, constraint \"request_keys_pk\" primary key (\"tenant_id\", \"name\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create index \"request_keys_by_age\" on \"request_keys\" (\"at\")",
      "parameters": []
    },
    {
      "sql": "create index \"request_keys_of_owner\" on \"request_keys\" (\"tenant_id\", \"owner\", \"at\")",
      "parameters": []
    }
  ],
  "0020_runs_of_tokens": [
    {
      "sql": "alter table \"access_tokens\" add column \"max_runs\" integer",
      "parameters": []
    }
  ],
  "0021_ended_runs": [
    {
      "sql": "create index \"runs_ended\" on \"runs\" (\"tenant_id\", \"updated_at\") where \"ended\" = 1",
      "parameters": []
    }
  ],
  "0022_told_confirmations": [
    {
      "sql": "alter table \"confirmations\" add column \"told\" integer default 2 not null",
      "parameters": []
    },
    {
      "sql": "create index confirmations_untold on confirmations (run_pk)\n        where ((told = 0 and status = 'open') or (told = 1 and status <> 'open'))",
      "parameters": []
    }
  ],
  "0023_sight_of_tokens": [
    {
      "sql": "alter table \"access_tokens\" add column \"sight\" text",
      "parameters": []
    }
  ],
  "0024_tainted_files": [
    {
      "sql": "create table \"tainted_files\" (\"tenant_id\" integer not null, \"path\" text not null, \"bytes\" integer not null, \"hash\" text not null, constraint \"tainted_files_pk\" primary key (\"tenant_id\", \"path\")) without rowid",
      "parameters": []
    }
  ],
  "0025_run_feed": [
    {
      "sql": "create table \"run_feed\" (\"tenant_id\" integer not null, \"pos\" integer not null, \"run_pk\" integer not null, \"seq\" integer not null, constraint \"run_feed_pk\" primary key (\"tenant_id\", \"pos\")) without rowid",
      "parameters": []
    },
    {
      "sql": "create index \"run_feed_runs\" on \"run_feed\" (\"run_pk\")",
      "parameters": []
    },
    {
      "sql": "create trigger run_feed_moved after update of seq on runs when new.seq > old.seq begin\n        insert into run_feed (tenant_id, pos, run_pk, seq) values (\n          new.tenant_id,\n          (select coalesce(max(pos), 0) + 1 from run_feed where tenant_id = new.tenant_id),\n          new.pk,\n          new.seq\n        );\n      end",
      "parameters": []
    },
    {
      "sql": "create trigger run_feed_left after delete on runs begin\n        update run_feed set run_pk = 0 where run_pk = old.pk\n          and pos = (select max(pos) from run_feed where tenant_id = old.tenant_id);\n        delete from run_feed where run_pk = old.pk;\n      end",
      "parameters": []
    }
  ]
};
