import { Option } from 'commander';
import type { DetentCommand } from '../command.ts';

export function defineMcp(program: DetentCommand): void {
  const mcp = program.command('mcp').summary('servers of tools (Model Context Protocol)');

  mcp
    .command('list')
    .summary('each server, whether it answers, and what tools it has')
    .description(
      'Connects to every server of the configuration and of .mcp.json, but only to those of .mcp.json that mcp.project or mcp.allow of the configuration allows. Lists unusable tools with the reason.',
    )
    .jsonOption()
    .placeOptions()
    .examples('detent mcp list', `detent mcp list --json | jq '.servers[] | select(.status != "connected")'`)
    .performedBy(async () => (await import('./mcp-command.ts')).listServers);

  mcp
    .command('test <NAME>')
    .summary('connect to a server, and list its tools')
    .description('Connects to one server and lists its tools. Exit code 0 when Detent can use it, else 1.')
    .jsonOption()
    .placeOptions()
    .examples('detent mcp test github')
    .performedBy(async () => (await import('./mcp-command.ts')).testServer);

  mcp
    .command('add <NAME> <TARGET...>')
    .summary('write a server into .mcp.json')
    .description(
      `TARGET is a URL, or a command with its arguments after "--". Detent fills in \${NAME} when it uses the server, so keys stay out of the file.`,
    )
    .option('--env <NAME=VALUE>', 'a variable of the command; may be repeated', repeated)
    .option('--header <NAME=VALUE>', 'a header of every request; may be repeated', repeated)
    .addOption(
      new Option('--type <TYPE>', 'protocol of the URL: http (default) or sse').choices(['http', 'sse']),
    )
    .option('--replace', 'replace a server of that name')
    .placeOptions()
    .examples(
      'detent mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
      `detent mcp add wiki https://wiki.example/mcp --header 'Authorization=Bearer \${WIKI_TOKEN}'`,
    )
    .performedBy(async () => (await import('./edit-command.ts')).addServer);

  mcp
    .command('remove <NAME>')
    .summary('remove a server from .mcp.json')
    .description('Removes a server from .mcp.json, and changes nothing else in it.')
    .placeOptions()
    .examples('detent mcp remove wiki')
    .performedBy(async () => (await import('./edit-command.ts')).removeServer);

  mcp
    .command('allow <SERVER> [TOOL]')
    .summary('accept tools that have changed')
    .description(
      'Detent refuses a tool whose description or parameters have changed since its first use (TOOL_CHANGED), until you accept it here. Without TOOL it accepts all tools of the server.',
    )
    .jsonOption()
    .placeOptions()
    .examples('detent mcp allow wiki', 'detent mcp allow wiki search')
    .performedBy(async () => (await import('./mcp-command.ts')).allowTools);

  mcp
    .command('login <NAME>')
    .summary('log in to a server by OAuth')
    .description(
      'Prints an address to open in a browser of this machine, waits for the browser to return, and keeps the tokens in a file of DETENT_HOME (default: ~/.detent) that only its owner can read.',
    )
    .option('--timeout <TIME>', 'how long to wait: 90s, 5m (default: 5m)')
    .placeOptions()
    .examples('detent mcp login wiki')
    .performedBy(async () => (await import('./mcp-command.ts')).loginServer);
}

function repeated(value: string, before: string[] = []): string[] {
  return [...before, value];
}
