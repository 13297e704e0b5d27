import { isIP } from 'node:net';
import { type Flags, oneOf, text, texts, usage, wholeNumber } from '../../settings/flags.ts';

const defaultPort = 7420;
const maxPort = 65_535;
const wildcards = ['0.0.0.0', '::', '::0', '0:0:0:0:0:0:0:0'];

/** What one of several processes does: `gateway` serves clients and drives no runs, `worker` drives runs and serves no clients. */
const roles = ['all', 'gateway', 'worker'] as const;

/** Where the gateway listens, and under which names clients reach it. */
export interface ServePlace {
  role: (typeof roles)[number];
  /** 0: any free port. */
  port: number;
  /** Whether any other free port will do where that one is taken. */
  mayMove: boolean;
  host: string;
  /** Names for the header Host. */
  hosts: readonly string[];
  origins: readonly string[];
  /** The name in the address that people and programs on this machine use. */
  shownHost: string;
  /** Whether other machines reach it. */
  isPublic: boolean;
}

/**
 * The place that the command line names.
 *
 * @throws DetentError `USAGE`, also for an address of all interfaces without the names by which clients come: a gateway that
 * takes any name is open to pages that point a name of their own at it.
 */
export function servePlace(flags: Flags): ServePlace {
  const role = oneOf(flags, 'role', roles) ?? 'all';
  const port = wholeNumber(flags, 'port', 0) ?? defaultPort;
  if (port > maxPort) throw usage(`--port is at most ${maxPort}, not "${port}"`);
  const host = withoutBrackets(text(flags, 'host') ?? '127.0.0.1').toLowerCase();
  const names = texts(flags, 'allow-host').map(checkedName);
  const origins = texts(flags, 'allow-origin').map(checkedOrigin);
  if (host === '') throw usage('--host is an address of this machine, such as 127.0.0.1');
  const isWildcard = wildcards.includes(host);
  // What a worker answers is the same for any name.
  if (isWildcard && names.length === 0 && role !== 'worker')
    throw usage(
      `--host ${host} lets other machines connect, so name the hosts that they use: --allow-host agent.example (or the address of this machine)`,
    );
  const shownHost = isWildcard ? (host === '0.0.0.0' ? '127.0.0.1' : '[::1]') : inUrl(host);
  return {
    role,
    port,
    mayMove: flags['any-port'] === true,
    host,
    hosts: [...new Set([shownHost, ...names])],
    origins,
    shownHost,
    isPublic: !isLoopback(host),
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function withoutBrackets(host: string): string {
  return /^\[.*\]$/.test(host) ? host.slice(1, -1) : host;
}

function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** A name as the header Host has it, with or without a port. */
function checkedName(given: string): string {
  const name = isIP(given) === 6 ? `[${given}]` : given.toLowerCase();
  const url = URL.parse(`http://${name}`);
  const isName = url !== null && /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/.test(name);
  if (isName) return name;
  throw usage(`--allow-host is a name such as agent.example or agent.example:8443, not "${given}"`);
}

function checkedOrigin(given: string): string {
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol) && url.origin === given.replace(/\/$/, '')) return url.origin;
  throw usage(`--allow-origin is a scheme and a name, such as https://shop.example, not "${given}"`);
}
