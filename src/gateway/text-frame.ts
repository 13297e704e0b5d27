/** Longest payloads whose length stands in the first bytes of a frame, and in two more. */
const shortest = 125;
const middle = 0xffff;

/**
 * A whole text frame of a WebSocket server, as it goes over the connection: unmasked, not compressed, so that the same bytes
 * can go to every client. See RFC 6455, section 5.2.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headerLength = length <= shortest ? 2 : length <= middle ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerLength + length);
  // Final, text.
  frame[0] = 0x81;
  if (length <= shortest) frame[1] = length;
  else if (length <= middle) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headerLength);
  return frame;
}
