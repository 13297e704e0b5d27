import { describe, expect, it } from 'vitest';
import { Egress, hostOf } from '../../../src/tools/http/egress.ts';
import cases from '../../fixtures/security/ssrf.json' with { type: 'json' };

const refused = (check: () => unknown): string => {
  try {
    check();
    return 'allowed';
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
};

/** What is decided of a URL when every name in it leads to `address`. */
function verdict(url: string, address: string, egress = new Egress()): string {
  return refused(() => egress.checkAddress(hostOf(egress.checkUrl(url)), address));
}

const literal = (url: string) => refused(() => new Egress().checkUrl(url));

const isLiteral = (host: string | null) => host !== null && /^[\d.]+$|^\[/.test(host);

describe('the SSRF cases', () => {
  it('are all there', () => {
    expect(cases).toHaveLength(59);
  });

  it.each(cases)('$url: $expect', ({ url, expect: wanted, normalizedHost }) => {
    if (wanted === 'allow') {
      expect(isLiteral(normalizedHost) ? literal(url) : verdict(url, '93.184.216.34')).toBe('allowed');
    } else if (wanted === 'block-if-resolves-private') {
      expect(verdict(url, '10.0.0.1')).toMatch(/^EGRESS_BLOCKED: .* not public \(private\)/);
      expect(verdict(url, '93.184.216.34')).toBe('allowed');
    } else {
      const meaning = {
        'block-address': /^EGRESS_BLOCKED: .* not public/,
        'block-name': /^EGRESS_BLOCKED: .*the name is kept/,
        'block-scheme': /^EGRESS_BLOCKED: .*its scheme is/,
        'reject-invalid-url': /^INVALID_URL/,
      }[wanted];
      expect(meaning).toBeDefined();
      expect(literal(url)).toMatch(meaning ?? '');
    }
  });
});

describe('an address', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::7f00:1', 'reserved'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:0:127.0.0.1', 'rfc6145'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b:1::a00:1', 'rfc6052'],
    ['2002:7f00:1::', '6to4'],
    ['2002:a9fe:a9fe::', '6to4'],
    ['2001::7f00:1', 'teredo'],
    ['fe80::1%eth0', 'linkLocal'],
    ['fd00:ec2::254', 'uniqueLocal'],
    ['fec0::1', 'deprecatedSiteLocal'],
    ['ff02::1', 'multicast'],
    ['4000::1', 'reserved'],
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['100.64.0.1', 'carrierGradeNat'],
    ['192.0.0.192', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
  ])('%s is not public: %s', (address, range) => {
    expect(verdict('http://host.example/', address)).toContain(`not public (${range})`);
  });

  it.each(['93.184.216.34', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2606:4700::1111', '172.32.0.1'])(
    '%s is public',
    (address) => {
      expect(verdict('http://host.example/', address)).toBe('allowed');
    },
  );

  it('is refused when it cannot be read', () => {
    expect(verdict('http://host.example/', 'nonsense')).toContain('EGRESS_BLOCKED');
  });
});

describe('a URL', () => {
  it.each([
    'http://localhost./',
    'http://LOCALHOST/',
    'http://a.localhost/',
    'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
    'http://printer.local/',
    'http://vault.internal/',
    'http://127.0.0.1./',
    'http://127。0。0。1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://[::ffff:7f00:1]:8080/',
    'http://[64:ff9b::7f00:1]/',
    'http://user@example.com/',
    'http://user:password@example.com/',
    'http://example.com@127.0.0.1/',
    'http://127.0.0.1#@example.com/',
    'http://127.0.0.1\\@example.com/',
    'http:127.0.0.1/',
    'http://127.0.0.1:65535/',
    'file:///etc/passwd',
    'ftp://example.com/',
    'data:text/plain,hello',
    'javascript:alert(1)',
    'blob:http://example.com/x',
  ])('%s is refused', (url) => {
    expect(literal(url)).toMatch(/^EGRESS_BLOCKED/);
  });

  it.each([
    '',
    'example.com',
    '//example.com',
    'http://',
    'http://example.com:65536/',
    'http://[::1',
    'http://a b/',
  ])('%j is none', (url) => {
    expect(literal(url)).toMatch(/^INVALID_URL/);
  });

  it.each([
    'https://münchen.example/',
    'http://example.com:8443/a?b=http://127.0.0.1/',
    'http://local.example/',
  ])('%s is let through to the resolver', (url) => {
    expect(literal(url)).toBe('allowed');
  });

  it('does not show the credentials that it is refused for', () => {
    expect(literal('http://user:hunter2@example.com/')).not.toContain('hunter2');
  });
});

describe('the configuration', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1/', '127.0.0.1'],
    ['10.0.0.0/8', 'http://wiki.example/', '10.2.3.4'],
    ['fd00::/8', 'http://wiki.example/', 'fd00::1'],
    ['wiki.example', 'http://wiki.example/', '10.2.3.4'],
    ['WIKI.example.', 'http://wiki.example./', '10.2.3.4'],
    ['*.corp.example', 'http://a.b.corp.example/', '10.2.3.4'],
    ['localhost', 'http://localhost:3000/', '127.0.0.1'],
    ['münchen.example', 'http://xn--mnchen-3ya.example/', '10.2.3.4'],
  ])('allows %s: %s at %s', (entry, url, address) => {
    expect(verdict(url, address, new Egress({ allow: [entry] }))).toBe('allowed');
    expect(verdict(url, address)).toContain('EGRESS_BLOCKED');
  });

  it('allows no more than it says', () => {
    const egress = new Egress({ allow: ['wiki.example', '*.corp.example', '10.1.0.0/16'] });
    for (const host of ['wiki.example.evil.example', 'awiki.example', 'corp.example', 'evilcorp.example'])
      expect(verdict(`http://${host}/`, '10.2.0.1', egress), host).toContain('EGRESS_BLOCKED');
  });

  it.each([
    ['93.184.0.0/16', 'http://host.example/', '93.184.216.34'],
    ['host.example', 'http://host.example/', '93.184.216.34'],
    ['*.example', 'http://host.example/', '93.184.216.34'],
    ['8.8.8.8', 'http://host.example/', '::ffff:8.8.8.8'],
  ])('denies %s: %s at %s, even where it is allowed', (entry, url, address) => {
    const egress = new Egress({ allow: [entry, 'host.example'], deny: [entry] });
    expect(verdict(url, address, egress)).toContain('the configuration denies it (egress.deny)');
  });

  it.each(['', 'http://wiki.example', 'wiki.example/x', 'a b', '*', '*.*.example', '10.0.0.0/99', 'host:80'])(
    'refuses the entry %j',
    (entry) => {
      expect(refused(() => new Egress({ allow: [entry] }))).toMatch(/^INVALID_CONFIG: egress\.allow/);
    },
  );
});
