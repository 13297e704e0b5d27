/** Another chat in a workspace: enters so many messages, one after the other. */

import { ChatHistory } from '../../../../../src/cli/commands/chat/history.ts';

const [workspace = '', count = ''] = process.argv.slice(2);
const history = new ChatHistory(workspace, (text) => text);
process.stdout.write('ready');
for (let i = 0; i < Number(count); i++) {
  history.add(`other ${i}`);
  await new Promise(setImmediate);
}
