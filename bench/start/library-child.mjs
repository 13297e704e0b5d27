// A program of a user: a first run in a new process on a new database. BASE_URL names the server.
import { createDetent, defineTool } from 'detent';

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks a step up',
  jsonSchema: { type: 'object', properties: { step: { type: 'number' } } },
  sideEffect: 'readonly',
  run: ({ step }) => `result ${step}`,
});
const detent = createDetent({
  model: 'mock/mock-1',
  models: { mock: { baseUrl: process.env.BASE_URL, apiKeyEnv: 'MOCK_KEY' } },
  tools: { define: [lookup], allowed: ['lookup'] },
  skills: { bundled: false },
});
const { status, error } = await detent.run('go').result;
await detent.close();
if (status !== 'done') throw new Error(`${status}: ${error?.message}`);
