import { createDetent } from '../../../../src/runtime/create-detent.ts';

/** Another process that forgets a user, and says when it begins. */
const [workspace = ''] = process.argv.slice(2);
const detent = createDetent({ workspace, env: {} });
await detent.open();
process.stdout.write('begins\n');
await detent.users.forget('ann');
await detent.close();
