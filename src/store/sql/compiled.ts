// Written by scripts/write-statements.ts from queries/ and migrations.ts; a test fails while it is out of date.
import type { CompiledStatements } from './compiled-statement.ts';

export const migrationNames: readonly string[] = ["0001_runs","0002_driver_errors","0003_models","0004_grants","0005_estimated_usage","0006_places","0007_settled_inputs","0008_many_drivers","0009_kept_confirmations","0010_runs_at_rest","0011_deleted_keys","0012_lean_messages","0013_access_tokens","0014_uploads","0015_users_of_sessions","0016_tenant_workspaces","0017_users_of_usage","0018_jobs","0019_request_keys","0020_runs_of_tokens","0021_ended_runs","0022_told_confirmations","0023_sight_of_tokens","0024_tainted_files","0025_run_feed"];

export const compiledStatements: CompiledStatements = {
  "putTaintedFile": {
    "kind": "run",
    "sql": "insert into \"tainted_files\" (\"tenant_id\", \"path\", \"bytes\", \"hash\") values (+?, +?, +?, +?) on conflict (\"tenant_id\", \"path\") do update set \"bytes\" = +?, \"hash\" = +?",
    "bind": [
      "tenant",
      "path",
      "bytes",
      "hash",
      "bytes",
      "hash"
    ]
  },
  "deleteTaintedFile": {
    "kind": "run",
    "sql": "delete from \"tainted_files\" where \"tenant_id\" = +? and \"path\" = +? and \"hash\" = +?",
    "bind": [
      "tenant",
      "path",
      {
        "constant": ""
      }
    ]
  },
  "listTaintedFiles": {
    "kind": "all",
    "sql": "select \"path\", \"bytes\", \"hash\" from \"tainted_files\" where \"tenant_id\" = +? order by \"path\"",
    "bind": [
      "tenant"
    ]
  },
  "findTenant": {
    "kind": "get",
    "sql": "select \"id\", \"name\", \"workspace\" from \"tenants\" where \"id\" = +?",
    "bind": [
      "tenant"
    ]
  },
  "findTenantNamed": {
    "kind": "get",
    "sql": "select \"id\", \"name\", \"workspace\" from \"tenants\" where \"name\" = +?",
    "bind": [
      "name"
    ]
  },
  "listTenants": {
    "kind": "all",
    "sql": "select \"id\", \"name\", \"workspace\" from \"tenants\" order by \"id\"",
    "bind": []
  },
  "insertTenant": {
    "kind": "get",
    "sql": "insert into \"tenants\" (\"name\", \"workspace\") values (+?, +?) returning \"id\"",
    "bind": [
      "name",
      "workspace"
    ]
  },
  "setTenantWorkspace": {
    "kind": "run",
    "sql": "update \"tenants\" set \"workspace\" = +? where \"id\" = +?",
    "bind": [
      "workspace",
      "tenant"
    ]
  },
  "findSession": {
    "kind": "get",
    "sql": "select \"pk\", \"user_id\" as \"user\", \"head_run\" as \"headRun\", \"head_seq\" as \"headSeq\", \"pruned_run\" as \"prunedRun\", \"pruned_seq\" as \"prunedSeq\" from \"sessions\" where \"tenant_id\" = +? and \"key\" = +?",
    "bind": [
      "tenant",
      "key"
    ]
  },
  "insertSession": {
    "kind": "get",
    "sql": "insert into \"sessions\" (\"pk\", \"tenant_id\", \"key\", \"user_id\", \"head_run\", \"head_seq\", \"created_at\") values (1 + max(ifnull((select max(\"pk\") as \"pk\" from \"sessions\"), 0), ifnull((select \"pk\" from \"deleted_keys\" where \"name\" = 'sessions'), 0)), +?, +?, +?, +?, +?, +?) returning \"pk\"",
    "bind": [
      "tenant",
      "key",
      "user",
      {
        "constant": 0
      },
      {
        "constant": 0
      },
      "at"
    ]
  },
  "listSessions": {
    "kind": "all",
    "sql": "select \"pk\", \"key\", \"created_at\" as \"createdAt\", (select count(*) as \"count\" from \"runs\" where \"runs\".\"session_pk\" = \"sessions\".\"pk\") as \"runs\" from \"sessions\" where +key >= ' ' and \"tenant_id\" = +? order by \"pk\" desc limit +?",
    "bind": [
      "tenant",
      "limit"
    ]
  },
  "listUserSessions": {
    "kind": "all",
    "sql": "select \"pk\", \"key\", \"created_at\" as \"createdAt\", (select count(*) as \"count\" from \"runs\" where \"runs\".\"session_pk\" = \"sessions\".\"pk\") as \"runs\" from \"sessions\" where +key >= ' ' and \"tenant_id\" = +? and \"user_id\" = +? order by \"pk\" desc limit +?",
    "bind": [
      "tenant",
      "user",
      "limit"
    ]
  },
  "describeSession": {
    "kind": "get",
    "sql": "select \"created_at\" as \"createdAt\", (select count(*) as \"count\" from \"messages\" where \"messages\".\"session_pk\" = \"sessions\".\"pk\" and \"messages\".\"role\" not in (+?, +?)) as \"messages\", (select max(\"runs\".\"updated_at\") as \"at\" from \"runs\" where \"runs\".\"session_pk\" = \"sessions\".\"pk\") as \"updatedAt\" from \"sessions\" where \"pk\" = +?",
    "bind": [
      {
        "constant": "summary"
      },
      {
        "constant": "withdrawn"
      },
      "session"
    ]
  },
  "deleteRunsOf": {
    "kind": "run",
    "sql": "delete from \"runs\" where \"session_pk\" = +?",
    "bind": [
      "session"
    ]
  },
  "deleteSession": {
    "kind": "run",
    "sql": "delete from \"sessions\" where \"pk\" = +?",
    "bind": [
      "session"
    ]
  },
  "moveSessionHead": {
    "kind": "run",
    "sql": "update \"sessions\" set \"head_run\" = +?, \"head_seq\" = +? where \"pk\" = +?",
    "bind": [
      "run",
      "seq",
      "session"
    ]
  },
  "moveSessionPruning": {
    "kind": "run",
    "sql": "update \"sessions\" set \"pruned_run\" = +?, \"pruned_seq\" = +? where \"pk\" = +?",
    "bind": [
      "run",
      "seq",
      "session"
    ]
  },
  "insertRun": {
    "kind": "get",
    "sql": "insert into \"runs\" (\"pk\", \"tenant_id\", \"id\", \"session_pk\", \"ordinal\", \"machine\", \"version\", \"seq\", \"ended\", \"state\", \"context\", \"input\", \"options\", \"output\", \"driver\", \"last_driver\", \"fence\", \"faults\", \"created_at\", \"updated_at\") values (1 + max(ifnull((select max(\"pk\") as \"pk\" from \"runs\"), 0), ifnull((select \"pk\" from \"deleted_keys\" where \"name\" = 'runs'), 0)), +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?) returning \"pk\"",
    "bind": [
      "tenant",
      "id",
      "session",
      "ordinal",
      "machine",
      "version",
      "seq",
      "ended",
      "state",
      "context",
      "input",
      "options",
      "output",
      "driver",
      "lastDriver",
      "fence",
      {
        "constant": 0
      },
      "createdAt",
      "createdAt"
    ]
  },
  "loadRun": {
    "kind": "get",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"input\", \"runs\".\"options\", \"runs\".\"output\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\", \"runs\".\"faults\", \"runs\".\"created_at\" as \"createdAt\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"tenant_id\" = +? and \"runs\".\"id\" = +?",
    "bind": [
      "tenant",
      "id"
    ]
  },
  "findRunOwner": {
    "kind": "get",
    "sql": "select \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"tenant_id\" = +? and \"runs\".\"id\" = +? and (+? is null\n    or instr(+?, json_quote(case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end)) > 0\n    or (instr(+?, '\"agent:\"') > 0 and case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end like 'agent:%')\n    or (instr(+?, '\"workflow:\"') > 0 and case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end like 'workflow:%'))",
    "bind": [
      "tenant",
      "id",
      "reach",
      "reach",
      "reach",
      "reach"
    ]
  },
  "findRunBeyond": {
    "kind": "get",
    "sql": "select \"runs\".\"pk\" from \"runs\" where \"runs\".\"session_pk\" = +? and not (+? is null\n    or instr(+?, json_quote(case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end)) > 0\n    or (instr(+?, '\"agent:\"') > 0 and case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end like 'agent:%')\n    or (instr(+?, '\"workflow:\"') > 0 and case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end like 'workflow:%')) limit 1",
    "bind": [
      "session",
      "reach",
      "reach",
      "reach",
      "reach"
    ]
  },
  "advanceRun": {
    "kind": "run",
    "sql": "update \"runs\" set \"seq\" = +?, \"state\" = +?, \"context\" = +?, \"updated_at\" = +? where \"pk\" = +? and \"seq\" = +? and \"fence\" = +? and \"driver\" is +?",
    "bind": [
      "seq",
      "state",
      "context",
      "updatedAt",
      "pk",
      "was",
      "fence",
      "wasDriver"
    ]
  },
  "endRun": {
    "kind": "run",
    "sql": "update \"runs\" set \"seq\" = +?, \"ended\" = +?, \"state\" = +?, \"context\" = +?, \"output\" = +?, \"updated_at\" = +? where \"pk\" = +? and \"seq\" = +? and \"fence\" = +? and \"driver\" is +?",
    "bind": [
      "seq",
      {
        "constant": 1
      },
      "state",
      "context",
      "output",
      "updatedAt",
      "pk",
      "was",
      "fence",
      "wasDriver"
    ]
  },
  "migrateRun": {
    "kind": "run",
    "sql": "update \"runs\" set \"seq\" = +?, \"version\" = +?, \"state\" = +?, \"context\" = +?, \"options\" = +? where \"pk\" = +? and \"seq\" = +? and \"fence\" = +? and \"driver\" is +? and \"ended\" = +?",
    "bind": [
      "seq",
      "version",
      "state",
      "context",
      "options",
      "pk",
      "was",
      "fence",
      "wasDriver",
      {
        "constant": 0
      }
    ]
  },
  "claimRun": {
    "kind": "run",
    "sql": "update \"runs\" set \"driver\" = +?, \"last_driver\" = +?, \"fence\" = fence + 1 where \"pk\" = +? and \"fence\" = +? and \"ended\" = +? and (\"driver\" is null or \"driver\" = 0 or \"driver\" = +?) and exists (select \"epoch\" from \"drivers\" where \"epoch\" = +? and \"ended_at\" is null)",
    "bind": [
      "me",
      "me",
      "pk",
      "seen",
      {
        "constant": 0
      },
      "me",
      "me"
    ]
  },
  "changeRunOptions": {
    "kind": "run",
    "sql": "update \"runs\" set \"options\" = +? where \"pk\" = +?",
    "bind": [
      "options",
      "pk"
    ]
  },
  "passRun": {
    "kind": "run",
    "sql": "update \"runs\" set \"driver\" = +? where \"pk\" = +?",
    "bind": [
      "driver",
      "pk"
    ]
  },
  "listAbandonedRuns": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" where \"runs\".\"ended\" = 0 and \"runs\".\"driver\" is null and \"runs\".\"pk\" > +? order by \"runs\".\"pk\" limit +?",
    "bind": [
      "after",
      "limit"
    ]
  },
  "listOwnHeads": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\" from \"runs\" where \"runs\".\"ended\" = 0 and \"runs\".\"driver\" = +? and \"runs\".\"seq\" = 0 and not exists (select \"earlier\".\"pk\" from \"runs\" as \"earlier\" where \"earlier\".\"session_pk\" = \"runs\".\"session_pk\" and \"earlier\".\"ordinal\" < \"runs\".\"ordinal\" and \"earlier\".\"ended\" = 0) order by \"runs\".\"pk\"",
    "bind": [
      "driver"
    ]
  },
  "abandonRunsOf": {
    "kind": "run",
    "sql": "update \"runs\" set \"driver\" = +? where \"driver\" = +? and \"ended\" = 0",
    "bind": [
      {
        "constant": null
      },
      "driver"
    ]
  },
  "countFault": {
    "kind": "run",
    "sql": "update \"runs\" set \"faults\" = \"faults\" + +? where \"pk\" = +?",
    "bind": [
      {
        "constant": 1
      },
      "pk"
    ]
  },
  "lastOrdinal": {
    "kind": "get",
    "sql": "select max(\"ordinal\") as \"ordinal\" from \"runs\" where \"session_pk\" = +?",
    "bind": [
      "session"
    ]
  },
  "laneHead": {
    "kind": "get",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"input\", \"runs\".\"options\", \"runs\".\"output\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\", \"runs\".\"faults\", \"runs\".\"created_at\" as \"createdAt\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"ended\" = 0 and \"runs\".\"session_pk\" = +? order by \"runs\".\"ordinal\" limit +?",
    "bind": [
      "session",
      {
        "constant": 1
      }
    ]
  },
  "listActiveRuns": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"input\", \"runs\".\"options\", \"runs\".\"output\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\", \"runs\".\"faults\", \"runs\".\"created_at\" as \"createdAt\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"ended\" = 0 order by \"runs\".\"session_pk\", \"runs\".\"ordinal\"",
    "bind": []
  },
  "listActiveRunsAfter": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"options\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\" from \"runs\" where \"runs\".\"ended\" = 0 and (runs.session_pk, runs.ordinal) > (+?, +?) order by \"runs\".\"session_pk\", \"runs\".\"ordinal\" limit +?",
    "bind": [
      "session",
      "ordinal",
      "limit"
    ]
  },
  "listActiveRunsOf": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"input\", \"runs\".\"options\", \"runs\".\"output\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\", \"runs\".\"faults\", \"runs\".\"created_at\" as \"createdAt\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"ended\" = 0 and \"runs\".\"session_pk\" = +? order by \"runs\".\"ordinal\"",
    "bind": [
      "session"
    ]
  },
  "listRuns": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"input\", \"runs\".\"options\", \"runs\".\"output\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\", \"runs\".\"faults\", \"runs\".\"created_at\" as \"createdAt\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"machine\" <> 'job' and \"runs\".\"tenant_id\" = +? order by \"runs\".\"pk\" desc limit +?",
    "bind": [
      "tenant",
      "limit"
    ]
  },
  "listRunsBefore": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"input\", \"runs\".\"options\", \"runs\".\"output\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\", \"runs\".\"faults\", \"runs\".\"created_at\" as \"createdAt\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"machine\" <> 'job' and \"runs\".\"tenant_id\" = +? and \"runs\".\"pk\" < +? order by \"runs\".\"pk\" desc limit +?",
    "bind": [
      "tenant",
      "below",
      "limit"
    ]
  },
  "listUserRunsBefore": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"input\", \"runs\".\"options\", \"runs\".\"output\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\", \"runs\".\"faults\", \"runs\".\"created_at\" as \"createdAt\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"machine\" <> 'job' and \"sessions\".\"tenant_id\" = +? and \"sessions\".\"user_id\" = +? and +runs.tenant_id = +? and +runs.pk < +? order by \"runs\".\"pk\" desc limit +?",
    "bind": [
      "tenant",
      "user",
      "tenant",
      "below",
      "limit"
    ]
  },
  "countActiveRuns": {
    "kind": "all",
    "sql": "select \"runs\".\"machine\", \"runs\".\"state\", count(*) as \"runs\", case when runs.driver = 0 and runs.last_driver is null then 1 else 0 end as \"unstarted\" from \"runs\" where \"runs\".\"tenant_id\" = +? and \"runs\".\"machine\" <> 'job' and (+? is null or exists\n        (select 1 from sessions where pk = runs.session_pk and user_id = +?)) and (+? is null\n    or instr(+?, json_quote(case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end)) > 0\n    or (instr(+?, '\"agent:\"') > 0 and case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end like 'agent:%')\n    or (instr(+?, '\"workflow:\"') > 0 and case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end like 'workflow:%')) and \"runs\".\"ended\" = 0 group by \"runs\".\"state\", \"runs\".\"machine\", case when runs.driver = 0 and runs.last_driver is null then 1 else 0 end order by \"runs\".\"state\", \"runs\".\"machine\", case when runs.driver = 0 and runs.last_driver is null then 1 else 0 end",
    "bind": [
      "tenant",
      "user",
      "user",
      "reach",
      "reach",
      "reach",
      "reach"
    ]
  },
  "countEndedRuns": {
    "kind": "all",
    "sql": "select \"runs\".\"machine\", \"runs\".\"state\", count(*) as \"runs\" from \"runs\" where \"runs\".\"tenant_id\" = +? and \"runs\".\"machine\" <> 'job' and (+? is null or exists\n        (select 1 from sessions where pk = runs.session_pk and user_id = +?)) and (+? is null\n    or instr(+?, json_quote(case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end)) > 0\n    or (instr(+?, '\"agent:\"') > 0 and case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end like 'agent:%')\n    or (instr(+?, '\"workflow:\"') > 0 and case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end like 'workflow:%')) and \"runs\".\"ended\" = 1 and \"runs\".\"updated_at\" >= +? group by \"runs\".\"state\", \"runs\".\"machine\" order by \"runs\".\"state\", \"runs\".\"machine\"",
    "bind": [
      "tenant",
      "user",
      "user",
      "reach",
      "reach",
      "reach",
      "reach",
      "since"
    ]
  },
  "newestRun": {
    "kind": "get",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"input\", \"runs\".\"options\", \"runs\".\"output\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\", \"runs\".\"faults\", \"runs\".\"created_at\" as \"createdAt\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"machine\" <> 'job' and \"runs\".\"tenant_id\" = +? and \"runs\".\"id\" not like '%.c%' order by \"runs\".\"pk\" desc limit 1",
    "bind": [
      "tenant"
    ]
  },
  "listRunIds": {
    "kind": "all",
    "sql": "select \"id\" from \"runs\" where \"tenant_id\" = +? and \"id\" >= +? and \"id\" < +? and \"id\" not like '%.c%' and \"machine\" <> 'job' order by \"id\" limit +?",
    "bind": [
      "tenant",
      "from",
      "below",
      "limit"
    ]
  },
  "listRunsOf": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"input\", \"runs\".\"options\", \"runs\".\"output\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\", \"runs\".\"faults\", \"runs\".\"created_at\" as \"createdAt\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"session_pk\" = +? order by \"runs\".\"ordinal\" desc limit +?",
    "bind": [
      "session",
      "limit"
    ]
  },
  "listLeftJobRuns": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\", \"runs\".\"session_pk\" as \"session\", \"sessions\".\"key\" as \"sessionKey\", \"sessions\".\"user_id\" as \"user\", \"runs\".\"ordinal\", \"runs\".\"machine\", \"runs\".\"version\", \"runs\".\"seq\", \"runs\".\"ended\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"input\", \"runs\".\"options\", \"runs\".\"output\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\", \"runs\".\"fence\", \"runs\".\"faults\", \"runs\".\"created_at\" as \"createdAt\", \"runs\".\"updated_at\" as \"updatedAt\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"machine\" = 'job' and \"runs\".\"ended\" = 1 and \"runs\".\"updated_at\" < +? and not exists (select \"jobs\".\"id\" from \"jobs\" where \"jobs\".\"run_pk\" = \"runs\".\"pk\") order by \"runs\".\"updated_at\", \"runs\".\"pk\" limit +?",
    "bind": [
      "before",
      "limit"
    ]
  },
  "deleteRun": {
    "kind": "run",
    "sql": "delete from \"runs\" where \"pk\" = +?",
    "bind": [
      "run"
    ]
  },
  "listRunMarks": {
    "kind": "all",
    "sql": "select \"runs\".\"pk\", \"runs\".\"id\", \"runs\".\"seq\", \"runs\".\"ended\", \"sessions\".\"key\" as \"sessionKey\" from \"runs\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" where \"runs\".\"tenant_id\" = +? and \"runs\".\"pk\" > +? and \"runs\".\"machine\" <> 'job' order by \"runs\".\"pk\" limit +?",
    "bind": [
      "tenant",
      "after",
      "limit"
    ]
  },
  "insertEvent": {
    "kind": "run",
    "sql": "insert into \"run_events\" (\"run_pk\", \"seq\", \"tenant_id\", \"type\", \"body\", \"at\", \"path\", \"hash\", \"dedupe_key\") values (+?, +?, +?, +?, +?, +?, +?, +?, +?)",
    "bind": [
      "run",
      "seq",
      "tenant",
      "type",
      "body",
      "at",
      "path",
      "hash",
      "key"
    ]
  },
  "copyEvents": {
    "kind": "run",
    "sql": "insert into \"run_events\" (\"run_pk\", \"seq\", \"tenant_id\", \"type\", \"body\", \"at\", \"path\", \"hash\") select +? as \"run\", \"seq\", +? as \"tenant\", \"type\", \"body\", \"at\", \"path\", \"hash\" from \"run_events\" where \"run_pk\" = +? and \"seq\" <= +?",
    "bind": [
      "run",
      "tenant",
      "from",
      "upTo"
    ]
  },
  "feedHead": {
    "kind": "get",
    "sql": "select \"pos\" from \"run_feed\" where \"tenant_id\" = +? order by \"pos\" desc limit 1",
    "bind": [
      "tenant"
    ]
  },
  "listFeed": {
    "kind": "all",
    "sql": "select \"run_feed\".\"pos\", \"run_events\".\"seq\", \"run_events\".\"type\", \"run_events\".\"at\", \"run_events\".\"path\", \"runs\".\"id\" as \"runId\", \"sessions\".\"key\" as \"sessionKey\", \"runs\".\"machine\", case when runs.ended = 1 and runs.seq = run_events.seq then 1 else 0 end as \"ended\" from \"run_feed\" inner join \"runs\" on \"runs\".\"pk\" = \"run_feed\".\"run_pk\" inner join \"sessions\" on \"sessions\".\"pk\" = \"runs\".\"session_pk\" inner join \"run_events\" on \"run_events\".\"run_pk\" = \"run_feed\".\"run_pk\" and \"run_events\".\"seq\" = \"run_feed\".\"seq\" where \"run_feed\".\"tenant_id\" = +? and \"run_feed\".\"pos\" > +? and \"run_feed\".\"pos\" <= +? and \"runs\".\"machine\" <> 'job' and (+? is null or sessions.user_id = +?) order by \"run_feed\".\"pos\"",
    "bind": [
      "tenant",
      "after",
      "upTo",
      "user",
      "user"
    ]
  },
  "findEventByKey": {
    "kind": "get",
    "sql": "select \"seq\" from \"run_events\" where \"run_pk\" = +? and \"dedupe_key\" = +?",
    "bind": [
      "run",
      "key"
    ]
  },
  "listPaths": {
    "kind": "all",
    "sql": "select \"run_events\".\"run_pk\" as \"run\", \"run_events\".\"seq\", \"run_events\".\"at\", \"run_events\".\"path\" from json_each(+?) as \"place\" inner join \"run_events\" on run_events.run_pk = place.value ->> 0 and run_events.seq = place.value ->> 1 order by \"run_events\".\"run_pk\", \"run_events\".\"seq\"",
    "bind": [
      "places"
    ]
  },
  "listMessengers": {
    "kind": "all",
    "sql": "select json_extract(body, '$.by') as \"by\" from \"run_events\" where \"run_pk\" = +? and \"type\" = 'run.message' and json_extract(body, '$.by') is not null group by \"by\" order by \"by\"",
    "bind": [
      "run"
    ]
  },
  "listEvents": {
    "kind": "page",
    "sql": "select \"run_pk\" as \"run\", \"seq\", \"type\", \"body\", \"at\", \"path\", \"hash\" from \"run_events\" where \"run_pk\" = +? and \"seq\" > +? order by \"seq\" limit +?",
    "bind": [
      "run",
      "after",
      "limit"
    ]
  },
  "listFoldStarts": {
    "kind": "all",
    "sql": "select \"run_pk\" as \"run\", \"seq\", \"type\", \"body\", \"at\", \"path\", \"hash\" from \"run_events\" where \"run_pk\" = +? and (\"seq\" = (select min(\"log\".\"seq\") as \"seq\" from \"run_events\" as \"log\" where \"log\".\"run_pk\" = +?) or \"type\" = 'run.migrated') order by \"seq\"",
    "bind": [
      "run",
      "run"
    ]
  },
  "insertEffect": {
    "kind": "run",
    "sql": "insert into \"effects\" (\"run_pk\", \"n\", \"tenant_id\", \"name\", \"params\", \"input\", \"status\", \"attempt\", \"driver\", \"fence\", \"created_at\", \"updated_at\") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?)",
    "bind": [
      "run",
      "n",
      "tenant",
      "name",
      "params",
      "input",
      "status",
      "attempt",
      "driver",
      "fence",
      "at",
      "at"
    ]
  },
  "startEffect": {
    "kind": "run",
    "sql": "update \"effects\" set \"attempt\" = \"attempt\" + +?, \"status\" = +?, \"driver\" = +?, \"fence\" = +?, \"updated_at\" = +? where \"run_pk\" = +? and \"n\" = +? and (\"status\" in (+?, +?, +?) or (\"status\" = +? and \"fence\" < +?))",
    "bind": [
      "attempts",
      "status",
      "driver",
      "fence",
      "at",
      "run",
      "n",
      {
        "constant": "held"
      },
      {
        "constant": "pending"
      },
      {
        "constant": "uncertain"
      },
      {
        "constant": "started"
      },
      "fence"
    ]
  },
  "settleEffect": {
    "kind": "run",
    "sql": "update \"effects\" set \"status\" = +?, \"input\" = case when +? in ('uncertain', 'linked') then input end, \"updated_at\" = +? where \"run_pk\" = +? and \"n\" = +? and (\"status\" = +? or (\"status\" = +? and +? <> 'linked'))",
    "bind": [
      "status",
      "status",
      "at",
      "run",
      "n",
      {
        "constant": "started"
      },
      {
        "constant": "linked"
      },
      "status"
    ]
  },
  "uncountAttempt": {
    "kind": "run",
    "sql": "update \"effects\" set \"attempt\" = \"attempt\" - +? where \"run_pk\" = +? and \"n\" = +? and \"fence\" = +? and \"status\" = +? and \"attempt\" > +?",
    "bind": [
      {
        "constant": 1
      },
      "run",
      "n",
      "fence",
      {
        "constant": "started"
      },
      {
        "constant": 0
      }
    ]
  },
  "closeEffect": {
    "kind": "run",
    "sql": "update \"effects\" set \"status\" = +?, \"input\" = +?, \"updated_at\" = +? where \"run_pk\" = +? and \"n\" = +? and \"status\" in (+?, +?, +?, +?, +?)",
    "bind": [
      {
        "constant": "cancelled"
      },
      {
        "constant": null
      },
      "at",
      "run",
      "n",
      {
        "constant": "held"
      },
      {
        "constant": "pending"
      },
      {
        "constant": "started"
      },
      {
        "constant": "linked"
      },
      {
        "constant": "uncertain"
      }
    ]
  },
  "changeEffectInput": {
    "kind": "run",
    "sql": "update \"effects\" set \"input\" = +? where \"run_pk\" = +? and \"n\" = +?",
    "bind": [
      "input",
      "run",
      "n"
    ]
  },
  "changeEffect": {
    "kind": "run",
    "sql": "update \"effects\" set \"name\" = +?, \"params\" = +? where \"run_pk\" = +? and \"n\" = +?",
    "bind": [
      "name",
      "params",
      "run",
      "n"
    ]
  },
  "findEffect": {
    "kind": "get",
    "sql": "select \"run_pk\" as \"run\", \"n\", \"name\", \"params\", \"input\", \"status\", \"attempt\", \"driver\", \"fence\" from \"effects\" where \"run_pk\" = +? and \"n\" = +?",
    "bind": [
      "run",
      "n"
    ]
  },
  "listOpenEffects": {
    "kind": "all",
    "sql": "select \"run_pk\" as \"run\", \"n\", \"name\", \"params\", \"input\", \"status\", \"attempt\", \"driver\", \"fence\" from \"effects\" where \"run_pk\" = +? and \"status\" in (+?, +?, +?, +?, +?) order by \"n\"",
    "bind": [
      "run",
      {
        "constant": "held"
      },
      {
        "constant": "pending"
      },
      {
        "constant": "started"
      },
      {
        "constant": "linked"
      },
      {
        "constant": "uncertain"
      }
    ]
  },
  "listEffects": {
    "kind": "all",
    "sql": "select \"run_pk\" as \"run\", \"n\", \"name\", \"params\", \"input\", \"status\", \"attempt\", \"driver\", \"fence\" from \"effects\" where \"run_pk\" = +? order by \"n\"",
    "bind": [
      "run"
    ]
  },
  "setTimer": {
    "kind": "run",
    "sql": "insert into \"timers\" (\"run_pk\", \"id\", \"tenant_id\", \"event\", \"due_at\") values (+?, +?, +?, +?, +?) on conflict (\"run_pk\", \"id\") do update set \"event\" = +?, \"due_at\" = +?",
    "bind": [
      "run",
      "id",
      "tenant",
      "event",
      "dueAt",
      "event",
      "dueAt"
    ]
  },
  "clearTimer": {
    "kind": "run",
    "sql": "delete from \"timers\" where \"run_pk\" = +? and \"id\" = +?",
    "bind": [
      "run",
      "id"
    ]
  },
  "fireTimer": {
    "kind": "run",
    "sql": "delete from \"timers\" where \"run_pk\" = +? and \"id\" = +? and \"due_at\" = +?",
    "bind": [
      "run",
      "id",
      "dueAt"
    ]
  },
  "listTimers": {
    "kind": "all",
    "sql": "select \"run_pk\" as \"run\", \"id\", \"event\", \"due_at\" as \"dueAt\" from \"timers\" where \"run_pk\" = +? order by \"due_at\", \"id\"",
    "bind": [
      "run"
    ]
  },
  "listSoonestTimers": {
    "kind": "all",
    "sql": "select \"timers\".\"run_pk\" as \"run\", \"timers\".\"id\", \"timers\".\"event\", \"timers\".\"due_at\" as \"dueAt\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\" as \"runId\", \"runs\".\"driver\", \"runs\".\"last_driver\" as \"lastDriver\" from \"timers\" inner join \"runs\" on \"runs\".\"pk\" = \"timers\".\"run_pk\" where \"timers\".\"due_at\" <= +? order by \"timers\".\"due_at\", \"timers\".\"run_pk\", \"timers\".\"id\" limit +?",
    "bind": [
      "before",
      "limit"
    ]
  },
  "listDueTimers": {
    "kind": "all",
    "sql": "select \"timers\".\"run_pk\" as \"run\", \"timers\".\"id\", \"timers\".\"event\", \"timers\".\"due_at\" as \"dueAt\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\" as \"runId\" from \"timers\" inner join \"runs\" on \"runs\".\"pk\" = \"timers\".\"run_pk\" where \"timers\".\"due_at\" <= +? and (\"runs\".\"driver\" = +? or (\"runs\".\"driver\" = 0 and (\"runs\".\"last_driver\" = +? or (1 = +? and \"runs\".\"last_driver\" is not null)))) order by \"timers\".\"due_at\", \"timers\".\"run_pk\", \"timers\".\"id\" limit +?",
    "bind": [
      "before",
      "me",
      "me",
      "allAtRest",
      "limit"
    ]
  },
  "listDueTimersOf": {
    "kind": "all",
    "sql": "select \"timers\".\"run_pk\" as \"run\", \"timers\".\"id\", \"timers\".\"event\", \"timers\".\"due_at\" as \"dueAt\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\" as \"runId\" from \"timers\" inner join \"runs\" on \"runs\".\"pk\" = \"timers\".\"run_pk\" where +timers.due_at <= +? and ((\"runs\".\"ended\" = 0 and \"runs\".\"driver\" = +?) or (\"runs\".\"ended\" = 0 and \"runs\".\"driver\" = 0 and \"runs\".\"last_driver\" = +?)) order by +timers.due_at, \"timers\".\"run_pk\", \"timers\".\"id\" limit +?",
    "bind": [
      "before",
      "me",
      "me",
      "limit"
    ]
  },
  "insertMessage": {
    "kind": "run",
    "sql": "insert into \"messages\" (\"session_pk\", \"run_pk\", \"seq\", \"i\", \"tenant_id\", \"role\", \"body\", \"at\") values (+?, +?, +?, +?, +?, +?, +?, +?)",
    "bind": [
      "session",
      "run",
      "seq",
      "i",
      "tenant",
      "role",
      "body",
      "at"
    ]
  },
  "listMessages": {
    "kind": "all",
    "sql": "select \"session_pk\" as \"session\", \"run_pk\" as \"run\", \"seq\", \"i\", \"role\", \"body\", \"at\" from \"messages\" where \"session_pk\" = +? and \"run_pk\" >= +? and (\"run_pk\" > +? or \"seq\" >= +?) order by \"run_pk\", \"seq\", \"i\"",
    "bind": [
      "session",
      "run",
      "run",
      "seq"
    ]
  },
  "pageMessagesOfRun": {
    "kind": "page",
    "sql": "select \"session_pk\" as \"session\", \"run_pk\" as \"run\", \"seq\", \"i\", \"role\", \"body\", \"at\" from \"messages\" where \"session_pk\" = +? and \"run_pk\" = +? and \"seq\" >= +? and \"seq\" <= +? and (\"seq\" > +? or \"i\" > +?) order by \"seq\", \"i\"",
    "bind": [
      "session",
      "run",
      "seq",
      "upTo",
      "seq",
      "i"
    ]
  },
  "listMessagesOfRun": {
    "kind": "all",
    "sql": "select \"session_pk\" as \"session\", \"run_pk\" as \"run\", \"seq\", \"i\", \"role\", \"body\", \"at\" from \"messages\" where \"session_pk\" = +? and \"run_pk\" = +? order by \"seq\", \"i\"",
    "bind": [
      "session",
      "run"
    ]
  },
  "deleteMessagesOfRun": {
    "kind": "run",
    "sql": "delete from \"messages\" where \"session_pk\" = +? and \"run_pk\" = +?",
    "bind": [
      "session",
      "run"
    ]
  },
  "listMessagesBefore": {
    "kind": "all",
    "sql": "select \"session_pk\" as \"session\", \"run_pk\" as \"run\", \"seq\", \"i\", \"role\", \"body\", \"at\" from \"messages\" where \"session_pk\" = +? and \"run_pk\" < +? order by \"run_pk\" desc, \"seq\" desc, \"i\" desc limit +?",
    "bind": [
      "session",
      "run",
      "limit"
    ]
  },
  "listSummaries": {
    "kind": "all",
    "sql": "select \"session_pk\" as \"session\", \"run_pk\" as \"run\", \"seq\", \"i\", \"role\", \"body\", \"at\" from \"messages\" where \"session_pk\" = +? and \"role\" = +? order by \"run_pk\", \"seq\", \"i\"",
    "bind": [
      "session",
      {
        "constant": "summary"
      }
    ]
  },
  "firstUserMessage": {
    "kind": "get",
    "sql": "select \"session_pk\" as \"session\", \"run_pk\" as \"run\", \"seq\", \"i\", \"role\", \"body\", \"at\" from \"messages\" where \"session_pk\" = +? and \"run_pk\" >= +? and \"run_pk\" <= +? and \"role\" = +? order by \"run_pk\", \"seq\", \"i\" limit +?",
    "bind": [
      "session",
      "from",
      "to",
      {
        "constant": "user"
      },
      {
        "constant": 1
      }
    ]
  },
  "lastSummary": {
    "kind": "get",
    "sql": "select \"session_pk\" as \"session\", \"run_pk\" as \"run\", \"seq\", \"i\", \"role\", \"body\", \"at\" from \"messages\" where \"session_pk\" = +? and \"role\" = +? order by \"run_pk\" desc, \"seq\" desc, \"i\" desc limit +?",
    "bind": [
      "session",
      {
        "constant": "summary"
      },
      {
        "constant": 1
      }
    ]
  },
  "insertConfirmation": {
    "kind": "run",
    "sql": "insert into \"confirmations\" (\"run_pk\", \"call\", \"n\", \"tenant_id\", \"kind\", \"status\", \"hash\", \"body\", \"decision\", \"asked_at\", \"told\") values (+?, +?, (select coalesce(max(n + (status <> 'open')), 1) as \"n\" from \"confirmations\" where \"run_pk\" = +? and \"call\" = +?), +?, +?, +?, +?, +?, +?, +?, 0) on conflict (\"run_pk\", \"call\", \"n\") do update set \"kind\" = +?, \"hash\" = +?, \"body\" = +?, \"decision\" = +?, \"asked_at\" = +?, \"told\" = 0",
    "bind": [
      "run",
      "call",
      "run",
      "call",
      "tenant",
      "kind",
      {
        "constant": "open"
      },
      "hash",
      "body",
      {
        "constant": null
      },
      "askedAt",
      "kind",
      "hash",
      "body",
      {
        "constant": null
      },
      "askedAt"
    ]
  },
  "decideConfirmation": {
    "kind": "run",
    "sql": "update \"confirmations\" set \"status\" = +?, \"decision\" = +? where \"run_pk\" = +? and \"call\" = +? and \"status\" = +?",
    "bind": [
      "status",
      "decision",
      "run",
      "call",
      {
        "constant": "open"
      }
    ]
  },
  "findConfirmation": {
    "kind": "get",
    "sql": "select \"run_pk\" as \"run\", \"call\", \"n\", \"kind\", \"status\", \"hash\", \"body\", \"decision\", \"asked_at\" as \"askedAt\", \"told\" from \"confirmations\" where \"run_pk\" = +? and \"call\" = +? order by \"n\" desc limit +?",
    "bind": [
      "run",
      "call",
      {
        "constant": 1
      }
    ]
  },
  "listConfirmations": {
    "kind": "all",
    "sql": "select \"run_pk\" as \"run\", \"call\", \"n\", \"kind\", \"status\", \"hash\", \"body\", \"decision\", \"asked_at\" as \"askedAt\", \"told\" from \"confirmations\" where \"run_pk\" = +? order by \"call\", \"n\"",
    "bind": [
      "run"
    ]
  },
  "listUntold": {
    "kind": "all",
    "sql": "select \"run_pk\" as \"run\", \"call\", \"n\", \"kind\", \"status\", \"hash\", \"body\", \"decision\", \"asked_at\" as \"askedAt\", \"told\", \"runs\".\"tenant_id\" as \"tenant\", \"runs\".\"id\" as \"runId\", \"runs\".\"last_driver\" as \"lastDriver\" from \"confirmations\" inner join \"runs\" on \"runs\".\"pk\" = \"confirmations\".\"run_pk\" where ((told = 0 and status = 'open') or (told = 1 and status <> 'open')) and (\"runs\".\"ended\" = 0 or \"told\" = 1) and \"run_pk\" > +? order by \"run_pk\", \"call\", \"n\" limit +?",
    "bind": [
      "after",
      "limit"
    ]
  },
  "markTold": {
    "kind": "run",
    "sql": "update \"confirmations\" set \"told\" = +? where \"run_pk\" = +? and \"call\" = +? and \"n\" = +?",
    "bind": [
      "told",
      "run",
      "call",
      "n"
    ]
  },
  "insertGrant": {
    "kind": "get",
    "sql": "insert into \"grants\" (\"session_pk\", \"n\", \"tenant_id\", \"tool\", \"pattern\", \"by\", \"run_id\", \"call\", \"at\", \"revoked_at\") values (+?, (select coalesce(max(\"n\"), 0) + 1 as \"next\" from \"grants\" where \"session_pk\" = +?), +?, +?, +?, +?, +?, +?, +?, +?) returning \"n\"",
    "bind": [
      "session",
      "session",
      "tenant",
      "tool",
      "pattern",
      "by",
      "runId",
      "call",
      "at",
      {
        "constant": null
      }
    ]
  },
  "listGrants": {
    "kind": "all",
    "sql": "select \"session_pk\" as \"session\", \"n\", \"tool\", \"pattern\", \"by\", \"run_id\" as \"runId\", \"call\", \"at\" from \"grants\" where \"session_pk\" = +? and \"revoked_at\" is null order by \"n\"",
    "bind": [
      "session"
    ]
  },
  "revokeGrant": {
    "kind": "run",
    "sql": "update \"grants\" set \"revoked_at\" = +? where \"session_pk\" = +? and \"n\" = +? and \"revoked_at\" is null",
    "bind": [
      "at",
      "session",
      "n"
    ]
  },
  "insertArtifact": {
    "kind": "run",
    "sql": "insert into \"artifacts\" (\"tenant_id\", \"id\", \"run_pk\", \"mime\", \"encoding\", \"body\", \"created_at\") values (+?, +?, +?, +?, +?, +?, +?)",
    "bind": [
      "tenant",
      "id",
      "run",
      "mime",
      "encoding",
      "body",
      "createdAt"
    ]
  },
  "findArtifactRun": {
    "kind": "get",
    "sql": "select \"r\".\"pk\" as \"run\", \"r\".\"id\" as \"runId\", \"s\".\"pk\" as \"session\", \"s\".\"key\" as \"sessionKey\" from \"artifacts\" as \"a\" inner join \"runs\" as \"r\" on \"r\".\"pk\" = \"a\".\"run_pk\" inner join \"sessions\" as \"s\" on \"s\".\"pk\" = \"r\".\"session_pk\" where \"a\".\"tenant_id\" = +? and \"a\".\"id\" = +?",
    "bind": [
      "tenant",
      "id"
    ]
  },
  "findArtifact": {
    "kind": "get",
    "sql": "select \"id\", \"run_pk\" as \"run\", \"mime\", \"encoding\", \"body\", \"created_at\" as \"createdAt\" from \"artifacts\" where \"tenant_id\" = +? and \"id\" = +?",
    "bind": [
      "tenant",
      "id"
    ]
  },
  "insertUsage": {
    "kind": "run",
    "sql": "insert into \"usage\" (\"tenant_id\", \"run_id\", \"session_key\", \"user_id\", \"n\", \"i\", \"purpose\", \"at\", \"day\", \"asked\", \"answered\", \"input_tokens\", \"output_tokens\", \"cached_input_tokens\", \"cache_write_tokens\", \"reasoning_tokens\", \"cost_usd\", \"cached\", \"error\", \"estimated\") values (+?, +?, +?, (select \"user_id\" from \"sessions\" where \"tenant_id\" = +? and \"key\" = +?), +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?) on conflict (\"tenant_id\", \"at\", \"run_id\", \"n\", \"i\") do nothing",
    "bind": [
      "tenant",
      "runId",
      "sessionKey",
      "tenant",
      "sessionKey",
      "n",
      "i",
      "purpose",
      "at",
      "day",
      "asked",
      "answered",
      "inputTokens",
      "outputTokens",
      "cachedInputTokens",
      "cacheWriteTokens",
      "reasoningTokens",
      "costUsd",
      "cached",
      "error",
      "estimated"
    ]
  },
  "forgetSessionUsage": {
    "kind": "run",
    "sql": "update \"usage\" set \"session_key\" = +? where \"tenant_id\" = +? and \"session_key\" = +?",
    "bind": [
      {
        "constant": ""
      },
      "tenant",
      "sessionKey"
    ]
  },
  "forgetRunUsage": {
    "kind": "run",
    "sql": "update \"usage\" set \"session_key\" = +? where \"tenant_id\" = +? and \"at\" >= +? and \"at\" <= +? and \"run_id\" = +?",
    "bind": [
      {
        "constant": ""
      },
      "tenant",
      "from",
      "to",
      "runId"
    ]
  },
  "listUsageOf": {
    "kind": "all",
    "sql": "select \"run_id\" as \"runId\", \"session_key\" as \"sessionKey\", \"user_id\" as \"user\", \"n\", \"i\", \"purpose\", \"at\", \"day\", \"asked\", \"answered\", \"input_tokens\" as \"inputTokens\", \"output_tokens\" as \"outputTokens\", \"cached_input_tokens\" as \"cachedInputTokens\", \"cache_write_tokens\" as \"cacheWriteTokens\", \"reasoning_tokens\" as \"reasoningTokens\", \"cost_usd\" as \"costUsd\", \"cached\", \"error\", \"estimated\" from \"usage\" where \"tenant_id\" = +? and \"run_id\" = +? order by \"at\", \"run_id\", \"n\", \"i\"",
    "bind": [
      "tenant",
      "runId"
    ]
  },
  "sumUsage": {
    "kind": "all",
    "sql": "select case +? when 'day' then day when 'model' then asked when 'session' then session_key\n    when 'user' then coalesce(user_id, '') when 'run' then run_id when 'purpose' then purpose else '' end as \"key\", count(*) as \"calls\", count(\"error\") as \"failed\", sum(\"cached\") as \"cached\", count(*) - count(cost_usd) as \"unpriced\", sum(\"estimated\") as \"estimated\", sum(\"input_tokens\") as \"inputTokens\", sum(\"output_tokens\") as \"outputTokens\", sum(\"cached_input_tokens\") as \"cachedInputTokens\", sum(\"cache_write_tokens\") as \"cacheWriteTokens\", sum(\"reasoning_tokens\") as \"reasoningTokens\", coalesce(sum(\"cost_usd\"), 0) as \"costUsd\" from \"usage\" where (+? is null or session_key = +?) and (+? is null or user_id = +?) and (+? is null or run_id = +?) and (+? is null or exists (select 1 from runs\n        where runs.tenant_id = usage.tenant_id and runs.id = usage.run_id and (+? is null\n    or instr(+?, json_quote(case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end)) > 0\n    or (instr(+?, '\"agent:\"') > 0 and case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end like 'agent:%')\n    or (instr(+?, '\"workflow:\"') > 0 and case\n    when runs.machine <> 'run' then runs.machine\n    when json_extract(runs.options, '$.call') is null\n      then 'agent:' || coalesce(json_extract(runs.options, '$.agent'), 'default')\n    else coalesce((select above.machine from runs as above\n      where above.tenant_id = runs.tenant_id and above.id = json_extract(runs.options, '$.parentRunId')), 'run')\n  end like 'workflow:%')))) and \"tenant_id\" = +? and \"at\" >= +? and \"at\" < +? group by \"key\" order by max(\"at\") desc, \"key\" limit +?",
    "bind": [
      "by",
      "sessionKey",
      "sessionKey",
      "user",
      "user",
      "runId",
      "runId",
      "reach",
      "reach",
      "reach",
      "reach",
      "reach",
      "tenant",
      "from",
      "to",
      "limit"
    ]
  },
  "ensureBudget": {
    "kind": "run",
    "sql": "insert into \"budgets\" (\"tenant_id\", \"id\", \"period\", \"max_tokens\", \"max_cost_usd\", \"spent_tokens\", \"spent_cost_usd\", \"created_at\", \"updated_at\") values (+?, +?, +?, +?, +?, +?, +?, +?, +?) on conflict (\"tenant_id\", \"id\", \"period\") do update set \"max_tokens\" = +?, \"max_cost_usd\" = +?, \"updated_at\" = +?",
    "bind": [
      "tenant",
      "id",
      "period",
      "maxTokens",
      "maxCostUsd",
      {
        "constant": 0
      },
      {
        "constant": 0
      },
      "at",
      "at",
      "maxTokens",
      "maxCostUsd",
      "at"
    ]
  },
  "findBudget": {
    "kind": "get",
    "sql": "select \"id\", \"period\", \"max_tokens\" as \"maxTokens\", \"max_cost_usd\" as \"maxCostUsd\", \"spent_tokens\" as \"spentTokens\", \"spent_cost_usd\" as \"spentCostUsd\", \"updated_at\" as \"updatedAt\", (select coalesce(sum(\"tokens\"), 0) as \"sum\" from \"budget_holds\" where \"budget_holds\".\"tenant_id\" = \"budgets\".\"tenant_id\" and \"budget_holds\".\"budget\" = \"budgets\".\"id\" and \"budget_holds\".\"period\" = \"budgets\".\"period\" and \"budget_holds\".\"expires_at\" > +? and (\"run_pk\" != +? or \"n\" != +?)) as \"heldTokens\", (select coalesce(sum(\"cost_usd\"), 0) as \"sum\" from \"budget_holds\" where \"budget_holds\".\"tenant_id\" = \"budgets\".\"tenant_id\" and \"budget_holds\".\"budget\" = \"budgets\".\"id\" and \"budget_holds\".\"period\" = \"budgets\".\"period\" and \"budget_holds\".\"expires_at\" > +? and (\"run_pk\" != +? or \"n\" != +?)) as \"heldCostUsd\", (select count(*) as \"count\" from \"budget_holds\" where \"budget_holds\".\"tenant_id\" = \"budgets\".\"tenant_id\" and \"budget_holds\".\"budget\" = \"budgets\".\"id\" and \"budget_holds\".\"period\" = \"budgets\".\"period\" and \"budget_holds\".\"expires_at\" > +? and (\"run_pk\" != +? or \"n\" != +?)) as \"holds\" from \"budgets\" where \"tenant_id\" = +? and \"id\" = +? and \"period\" = +?",
    "bind": [
      "now",
      "run",
      "n",
      "now",
      "run",
      "n",
      "now",
      "run",
      "n",
      "tenant",
      "id",
      "period"
    ]
  },
  "listBudgets": {
    "kind": "all",
    "sql": "select \"id\", \"period\", \"max_tokens\" as \"maxTokens\", \"max_cost_usd\" as \"maxCostUsd\", \"spent_tokens\" as \"spentTokens\", \"spent_cost_usd\" as \"spentCostUsd\", \"updated_at\" as \"updatedAt\", (select coalesce(sum(\"tokens\"), 0) as \"sum\" from \"budget_holds\" where \"budget_holds\".\"tenant_id\" = \"budgets\".\"tenant_id\" and \"budget_holds\".\"budget\" = \"budgets\".\"id\" and \"budget_holds\".\"period\" = \"budgets\".\"period\" and \"budget_holds\".\"expires_at\" > +?) as \"heldTokens\", (select coalesce(sum(\"cost_usd\"), 0) as \"sum\" from \"budget_holds\" where \"budget_holds\".\"tenant_id\" = \"budgets\".\"tenant_id\" and \"budget_holds\".\"budget\" = \"budgets\".\"id\" and \"budget_holds\".\"period\" = \"budgets\".\"period\" and \"budget_holds\".\"expires_at\" > +?) as \"heldCostUsd\", (select count(*) as \"count\" from \"budget_holds\" where \"budget_holds\".\"tenant_id\" = \"budgets\".\"tenant_id\" and \"budget_holds\".\"budget\" = \"budgets\".\"id\" and \"budget_holds\".\"period\" = \"budgets\".\"period\" and \"budget_holds\".\"expires_at\" > +?) as \"holds\" from \"budgets\" where \"tenant_id\" = +? and (\"period\" = +? or \"period\" = +? or \"period\" = +?) order by \"id\", \"period\"",
    "bind": [
      "now",
      "now",
      "now",
      "tenant",
      {
        "constant": ""
      },
      "day",
      "month"
    ]
  },
  "spendBudget": {
    "kind": "run",
    "sql": "update \"budgets\" set \"spent_tokens\" = \"spent_tokens\" + +?, \"spent_cost_usd\" = \"spent_cost_usd\" + +?, \"updated_at\" = +? where \"tenant_id\" = +? and \"id\" = +? and \"period\" = +?",
    "bind": [
      "tokens",
      "costUsd",
      "at",
      "tenant",
      "id",
      "period"
    ]
  },
  "putHold": {
    "kind": "run",
    "sql": "insert into \"budget_holds\" (\"run_pk\", \"n\", \"tenant_id\", \"budget\", \"period\", \"tokens\", \"cost_usd\", \"expires_at\") values (+?, +?, +?, +?, +?, +?, +?, +?) on conflict (\"run_pk\", \"n\") do update set \"budget\" = +?, \"period\" = +?, \"tokens\" = +?, \"cost_usd\" = +?, \"expires_at\" = +?",
    "bind": [
      "run",
      "n",
      "tenant",
      "budget",
      "period",
      "tokens",
      "costUsd",
      "expiresAt",
      "budget",
      "period",
      "tokens",
      "costUsd",
      "expiresAt"
    ]
  },
  "findHold": {
    "kind": "get",
    "sql": "select \"run_pk\" as \"run\", \"n\", \"budget\", \"period\", \"tokens\", \"cost_usd\" as \"costUsd\", \"expires_at\" as \"expiresAt\" from \"budget_holds\" where \"run_pk\" = +? and \"n\" = +?",
    "bind": [
      "run",
      "n"
    ]
  },
  "deleteHold": {
    "kind": "run",
    "sql": "delete from \"budget_holds\" where \"run_pk\" = +? and \"n\" = +?",
    "bind": [
      "run",
      "n"
    ]
  },
  "deleteHoldsOfDriver": {
    "kind": "run",
    "sql": "delete from \"budget_holds\" where exists (select \"runs\".\"pk\" from \"runs\" where \"runs\".\"pk\" = \"budget_holds\".\"run_pk\" and \"runs\".\"driver\" = +?)",
    "bind": [
      "driver"
    ]
  },
  "deleteHoldsOf": {
    "kind": "run",
    "sql": "delete from \"budget_holds\" where \"run_pk\" = +?",
    "bind": [
      "run"
    ]
  },
  "findAnswer": {
    "kind": "get",
    "sql": "select \"answer\", \"at\" from \"cached_answers\" where \"tenant_id\" = +? and \"key\" = +? and \"at\" >= +?",
    "bind": [
      "tenant",
      "key",
      "since"
    ]
  },
  "putAnswer": {
    "kind": "run",
    "sql": "insert into \"cached_answers\" (\"tenant_id\", \"key\", \"answer\", \"at\") values (+?, +?, +?, +?) on conflict (\"tenant_id\", \"key\") do update set \"answer\" = +?, \"at\" = +?",
    "bind": [
      "tenant",
      "key",
      "answer",
      "at",
      "answer",
      "at"
    ]
  },
  "deleteAnswersBefore": {
    "kind": "run",
    "sql": "delete from \"cached_answers\" where \"at\" < +?",
    "bind": [
      "before"
    ]
  },
  "deleteAnswersOf": {
    "kind": "run",
    "sql": "delete from \"cached_answers\" where \"tenant_id\" = +?",
    "bind": [
      "tenant"
    ]
  },
  "insertCommand": {
    "kind": "get",
    "sql": "insert into \"commands\" (\"tenant_id\", \"run_pk\", \"kind\", \"body\", \"made_at\", \"outcome\", \"done_at\") values (+?, +?, +?, +?, +?, +?, +?) returning \"id\"",
    "bind": [
      "tenant",
      "run",
      "kind",
      "body",
      "at",
      {
        "constant": null
      },
      {
        "constant": null
      }
    ]
  },
  "findCommand": {
    "kind": "get",
    "sql": "select \"commands\".\"id\", \"commands\".\"tenant_id\" as \"tenant\", \"commands\".\"run_pk\" as \"run\", \"runs\".\"id\" as \"runId\", \"commands\".\"kind\", \"commands\".\"body\", \"commands\".\"outcome\" from \"commands\" inner join \"runs\" on \"runs\".\"pk\" = \"commands\".\"run_pk\" where \"commands\".\"id\" = +?",
    "bind": [
      "id"
    ]
  },
  "listCommandsTo": {
    "kind": "all",
    "sql": "select \"commands\".\"id\", \"commands\".\"tenant_id\" as \"tenant\", \"commands\".\"run_pk\" as \"run\", \"runs\".\"id\" as \"runId\", \"commands\".\"kind\", \"commands\".\"body\", \"commands\".\"outcome\" from \"commands\" inner join \"runs\" on \"runs\".\"pk\" = \"commands\".\"run_pk\" where \"commands\".\"run_pk\" = +? and \"commands\".\"outcome\" is null order by \"commands\".\"id\"",
    "bind": [
      "run"
    ]
  },
  "listCommandsFor": {
    "kind": "all",
    "sql": "select \"commands\".\"id\", \"commands\".\"tenant_id\" as \"tenant\", \"commands\".\"run_pk\" as \"run\", \"runs\".\"id\" as \"runId\", \"commands\".\"kind\", \"commands\".\"body\", \"commands\".\"outcome\" from \"commands\" inner join \"runs\" on \"runs\".\"pk\" = \"commands\".\"run_pk\" where (\"runs\".\"driver\" = +? or (\"runs\".\"driver\" = 0 and \"runs\".\"last_driver\" = +?)) and \"commands\".\"outcome\" is null order by \"commands\".\"id\"",
    "bind": [
      "driver",
      "driver"
    ]
  },
  "listLeftCommands": {
    "kind": "all",
    "sql": "select \"commands\".\"id\", \"commands\".\"tenant_id\" as \"tenant\", \"commands\".\"run_pk\" as \"run\", \"runs\".\"id\" as \"runId\", \"commands\".\"kind\", \"commands\".\"body\", \"commands\".\"outcome\" from \"commands\" inner join \"runs\" on \"runs\".\"pk\" = \"commands\".\"run_pk\" left join \"drivers\" on \"drivers\".\"epoch\" = \"runs\".\"last_driver\" where (\"runs\".\"driver\" is null or ((\"runs\".\"driver\" = 0 or \"runs\".\"ended\" = +?) and \"drivers\".\"ended_at\" is not null)) and \"commands\".\"outcome\" is null order by \"commands\".\"id\"",
    "bind": [
      {
        "constant": 1
      }
    ]
  },
  "settleCommand": {
    "kind": "run",
    "sql": "update \"commands\" set \"outcome\" = +?, \"body\" = +?, \"done_at\" = +? where \"id\" = +? and \"outcome\" is null",
    "bind": [
      "outcome",
      {
        "constant": ""
      },
      "at",
      "id"
    ]
  },
  "insertDriver": {
    "kind": "get",
    "sql": "insert into \"drivers\" (\"pid\", \"started_at\", \"last_error\", \"name\", \"address\", \"token\", \"ended_at\") values (+?, +?, +?, +?, +?, +?, +?) returning \"epoch\"",
    "bind": [
      "pid",
      "at",
      {
        "constant": null
      },
      "name",
      "address",
      "token",
      {
        "constant": null
      }
    ]
  },
  "findDriver": {
    "kind": "get",
    "sql": "select \"epoch\", \"pid\", \"started_at\" as \"startedAt\", \"ended_at\" as \"endedAt\", \"name\", \"address\", \"token\", \"last_error\" as \"lastError\" from \"drivers\" where \"epoch\" = +?",
    "bind": [
      "epoch"
    ]
  },
  "listDrivers": {
    "kind": "all",
    "sql": "select \"epoch\", \"pid\", \"started_at\" as \"startedAt\", \"ended_at\" as \"endedAt\", \"name\", \"address\", \"token\", \"last_error\" as \"lastError\" from \"drivers\" where \"ended_at\" is null order by \"epoch\"",
    "bind": []
  },
  "endDriver": {
    "kind": "run",
    "sql": "update \"drivers\" set \"ended_at\" = +? where \"epoch\" = +? and \"ended_at\" is null",
    "bind": [
      "at",
      "epoch"
    ]
  },
  "noteDriverError": {
    "kind": "run",
    "sql": "update \"drivers\" set \"last_error\" = +? where \"epoch\" = +?",
    "bind": [
      "error",
      "epoch"
    ]
  },
  "insertAccessToken": {
    "kind": "run",
    "sql": "insert into \"access_tokens\" (\"id\", \"tenant_id\", \"user_id\", \"name\", \"scopes\", \"secret_hash\", \"created_at\", \"expires_at\", \"max_runs\", \"sight\", \"revoked_at\") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?)",
    "bind": [
      "id",
      "tenant",
      "user",
      "name",
      "scopes",
      "secretHash",
      "createdAt",
      "expiresAt",
      "maxRuns",
      "sight",
      {
        "constant": null
      }
    ]
  },
  "findAccessToken": {
    "kind": "get",
    "sql": "select \"id\", \"tenant_id\" as \"tenant\", \"user_id\" as \"user\", \"name\", \"scopes\", \"secret_hash\" as \"secretHash\", \"created_at\" as \"createdAt\", \"expires_at\" as \"expiresAt\", \"max_runs\" as \"maxRuns\", \"sight\", \"revoked_at\" as \"revokedAt\" from \"access_tokens\" where \"id\" = +?",
    "bind": [
      "id"
    ]
  },
  "listAccessTokens": {
    "kind": "all",
    "sql": "select \"id\", \"tenant_id\" as \"tenant\", \"user_id\" as \"user\", \"name\", \"scopes\", \"secret_hash\" as \"secretHash\", \"created_at\" as \"createdAt\", \"expires_at\" as \"expiresAt\", \"max_runs\" as \"maxRuns\", \"sight\", \"revoked_at\" as \"revokedAt\" from \"access_tokens\" where (+? is null or tenant_id = +?) order by \"created_at\", \"id\"",
    "bind": [
      "tenant",
      "tenant"
    ]
  },
  "revokeAccessToken": {
    "kind": "run",
    "sql": "update \"access_tokens\" set \"revoked_at\" = +? where \"id\" = +? and \"tenant_id\" = +? and \"revoked_at\" is null",
    "bind": [
      "at",
      "id",
      "tenant"
    ]
  },
  "insertUpload": {
    "kind": "run",
    "sql": "insert into \"uploads\" (\"tenant_id\", \"id\", \"user_id\", \"name\", \"mime\", \"body\", \"created_at\") values (+?, +?, +?, +?, +?, +?, +?)",
    "bind": [
      "tenant",
      "id",
      "user",
      "name",
      "mime",
      "body",
      "createdAt"
    ]
  },
  "findUpload": {
    "kind": "get",
    "sql": "select \"id\", \"user_id\" as \"user\", \"name\", \"mime\", \"body\", \"created_at\" as \"createdAt\" from \"uploads\" where \"tenant_id\" = +? and \"id\" = +?",
    "bind": [
      "tenant",
      "id"
    ]
  },
  "deleteUploadsBefore": {
    "kind": "run",
    "sql": "delete from \"uploads\" where \"created_at\" < +?",
    "bind": [
      "at"
    ]
  },
  "insertJob": {
    "kind": "run",
    "sql": "insert into \"jobs\" (\"tenant_id\", \"id\", \"user_id\", \"key\", \"run_pk\", \"run_id\", \"source\", \"created_at\", \"updated_at\") values (+?, +?, +?, +?, +?, +?, +?, +?, +?)",
    "bind": [
      "tenant",
      "id",
      "user",
      "key",
      "run",
      "runId",
      "source",
      "createdAt",
      "updatedAt"
    ]
  },
  "findJob": {
    "kind": "get",
    "sql": "select \"jobs\".\"id\", \"jobs\".\"user_id\" as \"user\", \"jobs\".\"key\", \"jobs\".\"run_pk\" as \"run\", \"jobs\".\"run_id\" as \"runId\", \"jobs\".\"source\", \"jobs\".\"created_at\" as \"createdAt\", \"jobs\".\"updated_at\" as \"updatedAt\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"ended\", \"runs\".\"driver\", \"runs\".\"updated_at\" as \"movedAt\" from \"jobs\" inner join \"runs\" on \"runs\".\"pk\" = \"jobs\".\"run_pk\" where \"jobs\".\"tenant_id\" = +? and \"jobs\".\"id\" = +?",
    "bind": [
      "tenant",
      "id"
    ]
  },
  "listJobs": {
    "kind": "all",
    "sql": "select \"jobs\".\"id\", \"jobs\".\"user_id\" as \"user\", \"jobs\".\"key\", \"jobs\".\"run_pk\" as \"run\", \"jobs\".\"run_id\" as \"runId\", \"jobs\".\"source\", \"jobs\".\"created_at\" as \"createdAt\", \"jobs\".\"updated_at\" as \"updatedAt\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"ended\", \"runs\".\"driver\", \"runs\".\"updated_at\" as \"movedAt\" from \"jobs\" inner join \"runs\" on \"runs\".\"pk\" = \"jobs\".\"run_pk\" where \"jobs\".\"tenant_id\" = +? and \"jobs\".\"id\" > +? order by \"jobs\".\"id\" limit +?",
    "bind": [
      "tenant",
      "after",
      "limit"
    ]
  },
  "listUserJobs": {
    "kind": "all",
    "sql": "select \"jobs\".\"id\", \"jobs\".\"user_id\" as \"user\", \"jobs\".\"key\", \"jobs\".\"run_pk\" as \"run\", \"jobs\".\"run_id\" as \"runId\", \"jobs\".\"source\", \"jobs\".\"created_at\" as \"createdAt\", \"jobs\".\"updated_at\" as \"updatedAt\", \"runs\".\"state\", \"runs\".\"context\", \"runs\".\"ended\", \"runs\".\"driver\", \"runs\".\"updated_at\" as \"movedAt\" from \"jobs\" inner join \"runs\" on \"runs\".\"pk\" = \"jobs\".\"run_pk\" where \"jobs\".\"tenant_id\" = +? and \"jobs\".\"user_id\" = +? and \"jobs\".\"id\" > +? order by \"jobs\".\"id\" limit +?",
    "bind": [
      "tenant",
      "user",
      "after",
      "limit"
    ]
  },
  "moveJob": {
    "kind": "run",
    "sql": "update \"jobs\" set \"run_pk\" = +?, \"run_id\" = +? where \"tenant_id\" = +? and \"id\" = +?",
    "bind": [
      "run",
      "runId",
      "tenant",
      "id"
    ]
  },
  "touchJob": {
    "kind": "run",
    "sql": "update \"jobs\" set \"updated_at\" = +? where \"tenant_id\" = +? and \"id\" = +?",
    "bind": [
      "at",
      "tenant",
      "id"
    ]
  },
  "deleteJob": {
    "kind": "run",
    "sql": "delete from \"jobs\" where \"tenant_id\" = +? and \"id\" = +?",
    "bind": [
      "tenant",
      "id"
    ]
  },
  "insertFire": {
    "kind": "run",
    "sql": "insert into \"job_fires\" (\"tenant_id\", \"job_id\", \"n\", \"slot\", \"kind\", \"status\", \"reason\", \"run_id\", \"error\", \"begun_at\", \"ended_at\") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?)",
    "bind": [
      "tenant",
      "job",
      "n",
      "slot",
      "kind",
      "status",
      "reason",
      "runId",
      "error",
      "begunAt",
      "endedAt"
    ]
  },
  "beginFire": {
    "kind": "run",
    "sql": "update \"job_fires\" set \"status\" = 'running', \"begun_at\" = +? where \"tenant_id\" = +? and \"job_id\" = +? and \"n\" = +?",
    "bind": [
      "at",
      "tenant",
      "job",
      "n"
    ]
  },
  "nameFireRun": {
    "kind": "run",
    "sql": "update \"job_fires\" set \"run_id\" = +? where \"tenant_id\" = +? and \"job_id\" = +? and \"n\" = +?",
    "bind": [
      "runId",
      "tenant",
      "job",
      "n"
    ]
  },
  "endFire": {
    "kind": "run",
    "sql": "update \"job_fires\" set \"status\" = +?, \"reason\" = +?, \"error\" = +?, \"run_id\" = +?, \"ended_at\" = +? where \"tenant_id\" = +? and \"job_id\" = +? and \"n\" = +?",
    "bind": [
      "status",
      "reason",
      "error",
      "runId",
      "at",
      "tenant",
      "job",
      "n"
    ]
  },
  "findFire": {
    "kind": "get",
    "sql": "select \"n\", \"slot\", \"kind\", \"status\", \"reason\", \"run_id\" as \"runId\", \"error\", \"begun_at\" as \"begunAt\", \"ended_at\" as \"endedAt\" from \"job_fires\" where \"tenant_id\" = +? and \"job_id\" = +? and \"n\" = +?",
    "bind": [
      "tenant",
      "job",
      "n"
    ]
  },
  "listFires": {
    "kind": "all",
    "sql": "select \"n\", \"slot\", \"kind\", \"status\", \"reason\", \"run_id\" as \"runId\", \"error\", \"begun_at\" as \"begunAt\", \"ended_at\" as \"endedAt\" from \"job_fires\" where \"tenant_id\" = +? and \"job_id\" = +? and \"n\" < +? order by \"n\" desc limit +?",
    "bind": [
      "tenant",
      "job",
      "below",
      "limit"
    ]
  },
  "listOldFires": {
    "kind": "all",
    "sql": "select \"n\", \"slot\", \"kind\", \"status\", \"reason\", \"run_id\" as \"runId\", \"error\", \"begun_at\" as \"begunAt\", \"ended_at\" as \"endedAt\" from \"job_fires\" where \"tenant_id\" = +? and \"job_id\" = +? and \"n\" > +? and \"n\" < +? and \"ended_at\" is not null and not exists (select \"deliveries\".\"n\" from \"deliveries\" where \"deliveries\".\"tenant_id\" = +? and \"deliveries\".\"job_id\" = +? and \"deliveries\".\"n\" = \"job_fires\".\"n\" and \"deliveries\".\"status\" = 'pending') order by \"n\" limit +?",
    "bind": [
      "tenant",
      "job",
      "after",
      "below",
      "tenant",
      "job",
      "limit"
    ]
  },
  "deleteFire": {
    "kind": "run",
    "sql": "delete from \"job_fires\" where \"tenant_id\" = +? and \"job_id\" = +? and \"n\" = +?",
    "bind": [
      "tenant",
      "job",
      "n"
    ]
  },
  "insertDelivery": {
    "kind": "run",
    "sql": "insert into \"deliveries\" (\"tenant_id\", \"job_id\", \"n\", \"target\", \"is_alert\", \"spec\", \"status\", \"attempt\", \"error\", \"due_at\", \"updated_at\") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?)",
    "bind": [
      "tenant",
      "job",
      "n",
      "target",
      "isAlert",
      "spec",
      "status",
      "attempt",
      "error",
      "dueAt",
      "updatedAt"
    ]
  },
  "changeDelivery": {
    "kind": "run",
    "sql": "update \"deliveries\" set \"status\" = +?, \"attempt\" = +?, \"error\" = +?, \"due_at\" = +?, \"updated_at\" = +? where \"tenant_id\" = +? and \"job_id\" = +? and \"n\" = +? and \"target\" = +? and \"is_alert\" = +?",
    "bind": [
      "status",
      "attempt",
      "error",
      "dueAt",
      "updatedAt",
      "tenant",
      "job",
      "n",
      "target",
      "isAlert"
    ]
  },
  "findDelivery": {
    "kind": "get",
    "sql": "select \"n\", \"target\", \"is_alert\" as \"isAlert\", \"spec\", \"status\", \"attempt\", \"error\", \"due_at\" as \"dueAt\", \"updated_at\" as \"updatedAt\" from \"deliveries\" where \"tenant_id\" = +? and \"job_id\" = +? and \"n\" = +? and \"target\" = +? and \"is_alert\" = +?",
    "bind": [
      "tenant",
      "job",
      "n",
      "target",
      "isAlert"
    ]
  },
  "listDeliveries": {
    "kind": "all",
    "sql": "select \"n\", \"target\", \"is_alert\" as \"isAlert\", \"spec\", \"status\", \"attempt\", \"error\", \"due_at\" as \"dueAt\", \"updated_at\" as \"updatedAt\" from \"deliveries\" where \"tenant_id\" = +? and \"job_id\" = +? and \"n\" = +? order by \"is_alert\", \"target\"",
    "bind": [
      "tenant",
      "job",
      "n"
    ]
  },
  "insertRequestKey": {
    "kind": "run",
    "sql": "insert into \"request_keys\" (\"tenant_id\", \"name\", \"owner\", \"digest\", \"driver\", \"answer\", \"at\") values (+?, +?, +?, +?, +?, +?, +?)",
    "bind": [
      "tenant",
      "name",
      "owner",
      "digest",
      "driver",
      {
        "constant": null
      },
      "at"
    ]
  },
  "findRequestKey": {
    "kind": "get",
    "sql": "select \"name\", \"owner\", \"digest\", \"driver\", \"answer\", \"at\" from \"request_keys\" where \"tenant_id\" = +? and \"name\" = +?",
    "bind": [
      "tenant",
      "name"
    ]
  },
  "passRequestKey": {
    "kind": "run",
    "sql": "update \"request_keys\" set \"driver\" = +? where \"tenant_id\" = +? and \"name\" = +? and \"driver\" = +? and \"answer\" is null",
    "bind": [
      "driver",
      "tenant",
      "name",
      "was"
    ]
  },
  "answerRequestKey": {
    "kind": "run",
    "sql": "update \"request_keys\" set \"answer\" = +? where \"tenant_id\" = +? and \"name\" = +? and \"driver\" = +? and \"answer\" is null",
    "bind": [
      "answer",
      "tenant",
      "name",
      "driver"
    ]
  },
  "deleteRequestKey": {
    "kind": "run",
    "sql": "delete from \"request_keys\" where \"tenant_id\" = +? and \"name\" = +? and \"driver\" = +? and \"answer\" is null",
    "bind": [
      "tenant",
      "name",
      "driver"
    ]
  },
  "deleteRequestKeysBefore": {
    "kind": "run",
    "sql": "delete from \"request_keys\" where \"at\" < +?",
    "bind": [
      "at"
    ]
  },
  "deleteSurplusRequestKeys": {
    "kind": "run",
    "sql": "delete from \"request_keys\" where \"tenant_id\" = +? and \"owner\" = +? and \"answer\" is not null and \"name\" in (select \"name\" from \"request_keys\" where \"tenant_id\" = +? and \"owner\" = +? order by \"at\" desc, \"name\" desc limit +? offset +?)",
    "bind": [
      "tenant",
      "owner",
      "tenant",
      "owner",
      {
        "constant": 9007199254740991
      },
      "keep"
    ]
  }
};
