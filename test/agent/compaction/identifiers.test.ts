import { describe, expect, it } from 'vitest';
import { identifiersIn, missingFrom } from '../../../src/agent/compaction/identifiers.ts';

describe('the identifiers in a text', () => {
  it.each([
    ['see https://example.org/a?b=1, please', ['https://example.org/a?b=1']],
    ['write to ann.lee+x@mail.example.org.', ['ann.lee+x@mail.example.org']],
    ['it is in /etc/app/config.yaml or src/main.ts', ['/etc/app/config.yaml', 'src/main.ts']],
    ['open C:\\logs\\app.log', ['C:\\logs\\app.log']],
    ['order ORD-4711 of run_x1y2z3', ['ORD-4711', 'run_x1y2z3']],
    ['9f86d081884c7d65', ['9f86d081884c7d65']],
    ['it costs 12,500 or 4321, or 5432.10.', ['12,500', '4321', '5432.10']],
    ['26.2 miles are 42.1648128 km', []],
    ['the code is "BLUEHERON"', ['BLUEHERON']],
    ['call `fetchAll`', ['fetchAll']],
    ['and/or, a 20-year plan, 3 of 12, it’s don’t', []],
  ])('%s', (text, found) => {
    expect(identifiersIn([text], 100)).toEqual(found);
  });

  it('are told once, those of the first texts first, up to a bound', () => {
    expect(identifiersIn(['AB-1234', 'ab-1234 CD-5678', 'EF-9012'], 2)).toEqual(['AB-1234', 'CD-5678']);
  });

  it('are missing from a text that does not hold them, whatever their case and grouping', () => {
    expect(missingFrom('ord-4711 for 12500', ['ORD-4711', '12,500', 'ORD-4712'])).toEqual(['ORD-4712']);
  });
});
