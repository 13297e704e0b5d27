import ipaddr from 'ipaddr.js';
import { DetentError } from '../../protocol/error.ts';
import { ToolFailure } from '../../protocol/tool.ts';
import { quoted } from '../../text/wording.ts';

/** Which hosts tools may connect to besides the public internet, and which never. */
export interface EgressConfig {
  /** Hosts (`wiki.example`, `*.corp.example`), addresses and networks (`10.1.0.0/16`) allowed although not public. */
  allow?: readonly string[];
  /** The same kinds of entries, refused although public; they override `allow`. */
  deny?: readonly string[];
}

type Address = ReturnType<typeof ipaddr.process>;

interface EgressList {
  /** Whether an entry names this host. */
  hasHost(host: string): boolean;
  hasAddress(address: Address): boolean;
}

/** Names of the machine itself, its network or its cloud's metadata service; refused without resolving them. */
const reservedNames = new Set([
  'localhost',
  'ip6-localhost',
  'ip6-loopback',
  'instance-data',
  'broadcasthost',
]);
/** RFC 6761, RFC 6762, RFC 8375, and the domain that ICANN has reserved for private use. */
const reservedDomains = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Decides which addresses a tool may connect to: public ones, plus `allow` and minus `deny` of the configuration.
 *
 * It checks a URL twice: scheme and host before anything is resolved, then each address before it is dialled, in
 * whatever notation.
 */
export class Egress {
  readonly #allow: EgressList;
  readonly #deny: EgressList;

  /**
   * @param field the name of `allow` in the configuration.
   * @throws DetentError `INVALID_CONFIG` for an entry that is neither a host nor an address nor a network.
   */
  constructor({ allow = [], deny = [] }: EgressConfig = {}, field = 'egress.allow') {
    this.#allow = egressList(allow, field);
    this.#deny = egressList(deny, 'egress.deny');
  }

  /**
   * Parses a URL that a model or a server wrote, and checks all of it that can be checked without a resolver.
   *
   * @param base the base of a relative URL, as in a redirect.
   * @throws ToolFailure `INVALID_URL`, `EGRESS_BLOCKED`.
   */
  checkUrl(text: string, base?: URL): URL {
    const url = URL.parse(text, base?.href);
    if (!url)
      throw new ToolFailure('INVALID_URL', `${quoted(text)} is not a URL; give it as https://host/path`);
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw blocked(url.href, `its scheme is ${url.protocol.slice(0, -1)}; only http and https are followed`);
    if (url.username !== '' || url.password !== '')
      throw blocked(url.host, 'the URL holds credentials; leave out what stands before "@"');
    const host = hostOf(url);
    if (ipaddr.isValid(host)) this.checkAddress(host, host);
    else this.#checkName(host);
    return url;
  }

  /**
   * Checks an address that `host` leads to.
   *
   * @throws ToolFailure `EGRESS_BLOCKED`.
   */
  checkAddress(host: string, address: string): void {
    const parsed = parsedAddress(address);
    const at = host === address ? host : `${host} (${address})`;
    if (!parsed) throw blocked(at, 'its address cannot be read');
    if (this.#deny.hasHost(host) || this.#deny.hasAddress(parsed)) throw denied(at);
    if (this.#allow.hasHost(host) || this.#allow.hasAddress(parsed)) return;
    const range = rangeOf(parsed);
    if (range !== 'public') throw blocked(at, `its address is not public (${range})`);
  }

  #checkName(host: string): void {
    if (this.#deny.hasHost(host)) throw denied(host);
    if (this.#allow.hasHost(host)) return;
    if (reservedNames.has(host) || reservedDomains.some((domain) => host.endsWith(`.${domain}`)))
      throw blocked(host, 'the name is kept for this machine and its own network');
  }
}

/** The host of a URL for comparing and dialling: without brackets and without the trailing dot of the root. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

/** Parses every notation; an IPv4-mapped IPv6 address becomes the IPv4 address. */
function parsedAddress(address: string): Address | null {
  try {
    return ipaddr.process(address);
  } catch {
    return null;
  }
}

/** `public`, or the name of the non-public range of an address. */
function rangeOf(address: Address): string {
  const range = address.range();
  if (address.kind() === 'ipv4') return range === 'unicast' ? 'public' : range;
  // IPv6-only networks reach IPv4 by NAT64 addresses: the embedded IPv4 address decides.
  if (address.match(nat64)) return rangeOf(ipaddr.fromByteArray(address.toByteArray().slice(12)));
  // Outside this block the library classifies unassigned addresses as unicast, ::127.0.0.1 among them.
  return range === 'unicast' && address.match(globalUnicast)
    ? 'public'
    : range === 'unicast'
      ? 'reserved'
      : range;
}

function egressList(entries: readonly string[], field: string): EgressList {
  const hosts = new Set<string>();
  const domains: string[] = [];
  const networks: [Address, number][] = [];
  for (const entry of entries) {
    const network = networkOf(entry);
    if (network) networks.push(network);
    else if (entry.startsWith('*.')) domains.push(`.${hostName(entry.slice(2), entry, field)}`);
    else hosts.add(hostName(entry, entry, field));
  }
  return {
    hasHost: (host) => hosts.has(host) || domains.some((domain) => host.endsWith(domain)),
    hasAddress: (address) =>
      networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits)),
  };
}

function networkOf(entry: string): [Address, number] | null {
  const bare = entry.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValidCIDR(bare)) return ipaddr.parseCIDR(bare);
  const address = ipaddr.isValid(bare) ? parsedAddress(bare) : null;
  return address && [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** The name as the URL parser normalises it, so that case, IDN and full-width letters make no difference. */
function hostName(name: string, entry: string, field: string): string {
  const url = /^[^\s/?#@:*]+$/.test(name) ? URL.parse(`http://${name}/`) : null;
  if (url) return hostOf(url);
  throw new DetentError(
    'INVALID_CONFIG',
    `${field}: ${quoted(entry)} is not a host, an address or a network; write wiki.example, *.corp.example, 10.1.2.3 or 10.1.0.0/16`,
    { details: { field, entry } },
  );
}

function blocked(what: string, why: string): ToolFailure {
  return new ToolFailure('EGRESS_BLOCKED', `${quoted(what)} may not be reached: ${why}`);
}

function denied(what: string): ToolFailure {
  return blocked(what, 'the configuration denies it (egress.deny)');
}
