import { describe, expect, it } from 'vitest';
import { maxPartBytes } from '../../../../../../src/protocol/content.ts';
import { whyRefused } from '../../../../../../web/src/pages/chat/dock/composer/files.ts';

const file = (type: string, size = 10) => ({ type, size });

describe('whyRefused', () => {
  it('takes images that models read, PDF, text of any kind, and files without a known type', () => {
    for (const type of [
      'image/png',
      'image/webp',
      'application/pdf',
      'text/csv',
      'application/json',
      'image/svg+xml',
      '',
    ])
      expect(whyRefused(file(type), []), type).toBeNull();
  });

  it('refuses other types, empty files, too many and too large ones before they are sent', () => {
    expect(whyRefused(file('video/mp4'), [])).toContain('video/mp4');
    expect(whyRefused(file('image/tiff'), [])).toContain('image/tiff');
    expect(whyRefused(file('text/plain', 0), [])).toBe('it is empty');
    expect(whyRefused(file('text/plain'), Array(20).fill({ bytes: 1 }))).toBe(
      'a message takes at most 20 files',
    );
    expect(whyRefused(file('image/png', maxPartBytes), [])).toBeNull();
    expect(whyRefused(file('image/png', maxPartBytes), [{ bytes: 1 }])).toContain('20.0 MB');
  });
});
