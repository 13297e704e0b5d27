import { crc32, deflateRawSync } from 'node:zlib';

export interface Entry {
  name: string;
  data: Uint8Array;
}

/** The first day that the format can say: the same files always give the same archive. */
const date = (1 << 5) | 1;
/** Names are UTF-8. */
const flags = 0x800;
const deflated = 8;

/** A zip archive. See https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
export function zip(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data } of entries) {
    const packed = deflateRawSync(data, { level: 9 });
    const path = Buffer.from(name);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(flags, 2);
    about.writeUInt16LE(deflated, 4);
    about.writeUInt16LE(date, 8);
    about.writeUInt32LE(crc32(data), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(data.length, 18);
    about.writeUInt16LE(path.length, 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    parts.push(Buffer.from('PK\x03\x04'), about, path, packed);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), about, central, path);
    offset += 4 + about.length + path.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}
