import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/**
 * A server that does what a test wants. Its one argument is a file of JSON, read anew whenever the tools are listed, and
 * beside which it writes what it has seen.
 */
export interface OddOrder {
  tools?: { name: string; description?: string; inputSchema?: object; annotations?: object }[];
  /** Tools on one page of the list; default all. */
  perPage?: number;
  /** Prints such lines to stdout before anything else. */
  noise?: string[];
  /** Has a process of its own, and does not end when its input does. */
  clings?: boolean;
}

const file = process.argv[2] ?? '';
const order = (): OddOrder => JSON.parse(readFileSync(file, 'utf8'));
const note = (ending: string, text: string) => appendFileSync(`${file}.${ending}`, `${text}\n`);

const { noise = [], clings } = order();
for (const line of noise) process.stdout.write(`${line}\n`);
note('pid', String(process.pid));
if (clings) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  note('pid', String(child.pid));
}

const server = new Server(
  { name: 'odd', version: '1.0.0' },
  { capabilities: { tools: { listChanged: true }, logging: {} } },
);

server.setRequestHandler('tools/list', ({ params }) => {
  const { tools = [], perPage = tools.length } = order();
  const from = Number(params?.cursor ?? 0);
  const to = from + perPage;
  return {
    tools: tools
      .slice(from, to)
      .map((tool) => ({ inputSchema: { type: 'object' as const }, ...tool })) as never,
    ...(to < tools.length && { nextCursor: String(to) }),
  };
});

server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, ctx) => {
  note('calls', name);
  switch (name) {
    case 'huge':
      return text('x'.repeat(Number(args.chars)));
    case 'hang':
      ctx.mcpReq.signal.addEventListener('abort', () => note('cancelled', name));
      return new Promise(() => {});
    case 'die':
      process.exit(7);
      break;
    case 'fail':
      return { ...text('no such order'), isError: true };
    case 'refuse':
      throw new Error('I will not');
    case 'nonsense':
      return { content: [{ type: 'smell', data: 7 }] } as never;
    case 'structured':
      return { content: [], structuredContent: { answer: 42 } };
    case 'log':
      await server.sendLoggingMessage({ level: 'warning', logger: 'odd', data: { seen: true } });
      return text('logged');
    case 'change':
      writeFileSync(file, JSON.stringify({ ...order(), tools: args.tools }));
      await server.sendToolListChanged();
      return text('changed');
    case 'ask': {
      const { properties = { name: { type: 'string' } }, required = [] } = args;
      const { action, content } = await server.elicitInput({
        message: 'Your name?',
        requestedSchema: { type: 'object', properties, required } as never,
      });
      return text(content ? `${action} ${JSON.stringify(content)}` : action);
    }
    default:
      return text(`${name} ${JSON.stringify(args)}`);
  }
  return text('');
});

function text(words: string) {
  return { content: [{ type: 'text' as const, text: words }] };
}

await server.connect(new StdioServerTransport());
