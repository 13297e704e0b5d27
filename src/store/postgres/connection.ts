import pg from 'pg';

const int8 = 20;
const numeric = 1700;

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === int8 || oid === numeric ? (value: string) => Number(value) : pg.types.getTypeParser(oid, format),
};

/** How each connection of Detent is made. Integers are read as numbers. */
export const connectionTo = (url: string) => ({
  connectionString: strict(url),
  types,
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  // A server that vanishes without a word: Node then probes each second, ten times. Linux alone would begin after two hours.
  keepAliveInitialDelayMillis: 10_000,
});

/** The driver takes these modes for `verify-full`, and warns of it on stderr whenever a process begins. */
const strict = (url: string) =>
  url.includes('uselibpqcompat=')
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
