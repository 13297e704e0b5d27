import { afterEach, expect, it } from 'vitest';
import { runStatuses } from '../../../../src/protocol/enums.ts';
import { language } from '../../../../web/src/base/language.ts';
import { t } from '../../../../web/src/pages/inspector/readout/words.ts';

afterEach(() => {
  language.value = 'en';
});

it('has words for how each run, and each open effect, stands, in both languages', () => {
  const said = () => [
    ...runStatuses.map((status) => t.runStatus(status)),
    ...['held', 'open', 'uncertain'].map((status) => t.effectStatus(status)),
  ];
  language.value = 'en';
  expect(said().join()).not.toMatch(/unstarted|held|\buncertain\b/);
  language.value = 'zh-CN';
  expect(said().join('')).toMatch(/^[一-鿿]+$/);
});
