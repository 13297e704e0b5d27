/**
 * A program that holds a database in its workspace: `database-locks-child.ts WORKSPACE`. It does what each line of its
 * input names, and answers `done` with what came of it.
 */

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkDatabase } from '../../src/cli/commands/doctor/database-checks.ts';
import { outputSchemaOf } from '../../src/cli/commands/run/run-command.ts';
import { readSource } from '../../src/cli/settings/config-file.ts';
import { compose } from '../../src/runtime/compose.ts';
import { readFiles } from '../../src/runtime/requests/attachment-bytes.ts';
import { attach } from '../../src/runtime/requests/attachments.ts';
import { hashOf, readSkillFile } from '../../src/skills/files/skill-files.ts';
import { validateFolder } from '../../src/skills/validate.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { makePrivateFile, makePrivateFolder } from '../../src/text/files/private-files.ts';
import { readProjectFile } from '../../src/tools/mcp/project-file.ts';
import { foreignPlaces } from '../../src/trust/places.ts';
import { surveyFolder } from '../../src/trust/survey/survey.ts';

const [workspace = ''] = process.argv.slice(2);
const database = join(workspace, 'data.db');
const core = await compose({
  workspace,
  database: { file: 'data.db' },
  env: {},
  model: 'test/script',
  models: { test: scriptedModel([{ text: 'done' }]) },
});
await core.engine.drive('all');
const place = { workspace, tenant: 1, user: null };
const io = { path: (path: string) => path } as never;
const inWorkspace = (path: string) => join(workspace, path);

const tool = (name: string, args: object) => () =>
  core.toolbox.run(name, JSON.stringify(args), {
    runId: 'run-1',
    sessionId: 'session-1',
    callId: 'call-1',
    idempotencyKey: 'run-1:1',
    principal: { tenantId: 1, userId: null, claims: {} },
    workspace,
    signal: new AbortController().signal,
    charge() {},
    log() {},
    progress() {},
  });
const attempts: Record<string, () => unknown> = {
  'grep the folder': tool('grep', { pattern: '.', ignored: true }),
  'grep a hard link': tool('grep', { pattern: '.', path: 'links/copy.txt' }),
  'read_file the database': tool('read_file', { path: 'data.db' }),
  'read_file a link': tool('read_file', { path: 'links/link.txt' }),
  'read_file a hard link': tool('read_file', { path: 'links/copy.txt' }),
  'read_file a hard link of the shared memory': tool('read_file', { path: 'links/shm.txt' }),
  'read_file a hard link of a lock': tool('read_file', { path: 'links/lock.txt' }),
  'edit_file a hard link': tool('edit_file', { path: 'links/copy.txt', old_text: 'SQLite', new_text: 'x' }),
  'write_file over a hard link': tool('write_file', { path: 'links/written.txt', content: 'x' }),
  'list_files with a hard link for .gitignore': tool('list_files', {}),
  skills: () => core.skills.ready(),
  'the hash of a skill': () => hashOf(inWorkspace('skills/hard')),
  'a file of a skill': () => readSkillFile(inWorkspace('skills/hard'), 'copy.txt'),
  'a link in a skill': () => readSkillFile(workspace, 'links/link.txt'),
  'the validation of skills': () => validateFolder(inWorkspace('skills'), () => true),
  'an attachment': () => attach('', [{ path: 'links/copy.txt' }], { workspace, maxPromptBytes: 1_000_000 }),
  'a file that a person attaches': () => readFiles([database]),
  'an output schema': () => outputSchemaOf(database, io),
  'a memory file': () => core.memory.get(place, 'memory/copy.md', {}),
  'a line in memory': () =>
    core.memory.write(place, [{ text: 'x', isUntrusted: false }], {
      at: Date.now(),
      key: 'k',
      to: 'long_term',
    }),
  'the long-term memory': () => core.memory.recall(place, '', { said: async () => '' }),
  'a memory search': () => core.memory.search(place, ['SQLite']),
  'the survey of the folder': () =>
    surveyFolder({ workspace, config: null, database, env: { DETENT_HOME: inWorkspace('home') } }),
  'foreign places': () => foreignPlaces({ workspace, database, env: { DETENT_HOME: inWorkspace('home') } }),
  'a configuration': () => readSource(inWorkspace('links/link.txt')),
  '.mcp.json': () => readProjectFile(workspace),
  doctor: () => checkDatabase(database, undefined, Date.now()),
  'private files': () => {
    makePrivateFolder(workspace);
    makePrivateFile(database);
    makePrivateFile(inWorkspace('links/shm.txt'));
  },
};

console.log(`ready ${Object.keys(attempts).join('|')}`);
for await (const line of createInterface({ input: process.stdin })) {
  let outcome: string;
  try {
    outcome = JSON.stringify(await attempts[line]?.()) ?? 'nothing';
  } catch (error) {
    outcome = String(error);
  }
  console.log(`done ${outcome.slice(0, 200).replaceAll('\n', ' ')}`);
}
