import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  chartsIn,
  documentText,
  fragmentOf,
  lessonText,
  partsOf,
} from '../../../../web/src/pages/learn/lesson-text.ts';

const folder = resolve(import.meta.dirname, '../../../../docs/learn');
const lessons = readdirSync(folder).filter((name) => /^\d.*\.md$/.test(name));

describe('a lesson on the page', () => {
  it.each(lessons)('%s has no link that leads nowhere there, and a picture in words', (lesson) => {
    const linked: string[] = [];
    const { before, alt, after } = lessonText(readFileSync(join(folder, lesson), 'utf8'), (name) => {
      linked.push(name);
      return `https://here/${name}`;
    });
    const shown = readFileSync(join(folder, '../../web/src/pages/learn/learn-page.tsx'), 'utf8');
    const names = /docs\/\{([\w,-]+)\}\.md/.exec(shown)?.[1]?.split(',') ?? [];
    for (const name of linked) expect(names).toContain(name);
    expect(alt.length).toBeGreaterThan(60);
    expect(after).toMatch(/^## The command\n/);
    for (const text of [before, after]) expect(text).not.toMatch(/\]\((?!https?:)|^# /m);
  });

  it.each(lessons)('%s has commands with what they say, and no sign of a prompt', (lesson) => {
    const steps = partsOf(readFileSync(join(folder, lesson), 'utf8')).filter(
      (part) => typeof part !== 'string',
    );
    expect(steps.flat().length).toBeGreaterThan(1);
    for (const { command, output } of steps.flat()) {
      expect(command).toMatch(/^[a-z]/);
      expect(output).not.toMatch(/^\$ |```/m);
    }
  });

  it('links to the documents that the page has, and names the others', () => {
    const { before, after } = lessonText(
      '# 1. Title\n\nRead [policy](../policy.md#rules) or [tools](../tools.md).\n\n![A rail.](1.svg)\n\nEnd.\n\nBefore: [x](1-x.md) · [y](README.md)\n',
      (name, section) => (name === 'policy' ? `https://here/policy${section}` : null),
    );
    expect({ before, after }).toEqual({
      before: 'Read [policy](https://here/policy#rules) or tools (`docs/tools.md`).',
      after: 'End.',
    });
  });

  it('links to its own sections, where the page has a place for them', () => {
    const text = 'See [the rules](#rules).';
    expect(documentText(text, (name, section) => `https://here/own${name}${section}`)).toBe(
      'See [the rules](https://here/own#rules).',
    );
    expect(documentText(text, () => null)).toBe('See the rules.');
  });

  it('leads to sections that the documents have', () => {
    const titlesOf = (name: string) =>
      [...readFileSync(join(folder, `../${name}.md`), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        fragmentOf(title),
      );
    const linked: string[] = [];
    for (const lesson of lessons)
      lessonText(readFileSync(join(folder, lesson), 'utf8'), (name, section) => {
        if (section !== '') linked.push(`${name}${section}`);
        return null;
      });
    expect(linked).toContain('architecture#the-statechart');
    for (const link of linked) expect(titlesOf(link.replace(/#.*/, ''))).toContain(link.replace(/.*#/, '#'));
  });
});

describe('a document on the page', () => {
  it('has charts for drawings, and no comment outside of code', () => {
    const document = readFileSync(join(folder, '../architecture.md'), 'utf8');
    const parts = chartsIn(document);
    expect(parts.filter((part) => typeof part !== 'string')).toEqual([
      { machine: 'call' },
      { machine: 'run' },
    ]);
    for (const part of parts)
      if (typeof part === 'string') expect(documentText(part, () => null)).not.toMatch(/^<!--|^```mermaid/m);
    expect(documentText('```\n<!-- kept -->\n```\n<!-- gone -->', () => null)).toBe(
      '```\n<!-- kept -->\n```',
    );
  });
});
