type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maximum levels of objects and lists in JSON from outside. Writing much deeper values overflows the stack. */
export const maxNesting = 200;

/** Whether JSON text has more than {@link maxNesting} levels. Does not recurse; text that is not JSON may answer anything. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  let isText = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === quote) isText = !isText;
    else if (isText) i += char === backslash ? 1 : 0;
    else if (char === openBrace || char === openBracket) {
      if (++depth > maxNesting) return true;
    } else if (char === closeBrace || char === closeBracket) depth--;
  }
  return false;
}

const [quote, backslash] = [34, 92];
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93];

/** `JSON.parse` that answers `undefined` for text that is not JSON, and for JSON that is nested too deep. */
export function parseJson(text: string): unknown {
  try {
    return isNestedTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
