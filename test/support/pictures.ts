import type { ContentPart } from '../../src/protocol/content.ts';

/** A PNG of one pixel, followed by bytes that make it unique. */
export function png(extra = ''): Buffer {
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
  return Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.from(extra)]);
}

/** A PDF without pages. */
export function pdf(extra = ''): Buffer {
  return Buffer.from(
    `%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n${extra}`,
  );
}

/** The first bytes of other formats, with zeros behind them. */
export const heads = {
  jpeg: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0]),
  gif: Buffer.from('GIF89a\0\0\0\0', 'latin1'),
  webp: Buffer.from('RIFF\x24\0\0\0WEBPVP8 \0\0', 'latin1'),
  bmp: Buffer.from('BM\x46\0\0\0\0\0', 'latin1'),
  wav: Buffer.from('RIFF\x24\0\0\0WAVEfmt \0', 'latin1'),
};

export function imagePart(name?: string, extra = ''): ContentPart {
  const data = png(extra).toString('base64');
  return { type: 'image', mimeType: 'image/png', data, ...(name !== undefined && { name }) };
}

export function pdfPart(name?: string): ContentPart {
  const data = pdf().toString('base64');
  return { type: 'file', mimeType: 'application/pdf', data, ...(name !== undefined && { name }) };
}
