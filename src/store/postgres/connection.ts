import pg from 'pg';

const int8 = 20;
const numeric = 1700;

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === int8 || oid === numeric ? (value: string) => Number(value) : pg.types.getTypeParser(oid, format),
};

/** How each connection of Detent is made. Integers are read as numbers. */
export const connectionTo = (url: string) => ({
  connectionString: url,
  types,
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
});
