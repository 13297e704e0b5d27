package dev.detent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes JSON (RFC 8259). Values are {@code Map<String, Object>}, {@code List<Object>}, {@code String}, {@code Boolean},
 * {@code Long}, {@code Double} and {@code null}.
 */
public final class Json {
  /** Arrays and objects within each other. A deeper text is refused: it would exhaust the stack of a thread. */
  public static final int MAX_DEPTH = 256;

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /**
   * @param text one JSON value
   * @throws IllegalArgumentException with the place of the first character that is wrong
   */
  public static Object parse(String text) {
    Json reader = new Json(text);
    Object value = reader.value(0);
    reader.space();
    if (reader.at < text.length()) throw reader.wrong();
    return value;
  }

  /**
   * The fields of an object.
   *
   * @throws IllegalArgumentException if the text is no JSON, or another value
   */
  @SuppressWarnings("unchecked")
  public static Map<String, Object> parseObject(String text) {
    Object value = parse(text);
    if (!(value instanceof Map)) throw new IllegalArgumentException("the JSON is not an object");
    return (Map<String, Object>) value;
  }

  private Object value(int depth) {
    space();
    if (depth > MAX_DEPTH) throw new IllegalArgumentException("the JSON is deeper than " + MAX_DEPTH);
    if (at >= text.length()) throw wrong();
    switch (text.charAt(at)) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return string();
      case 't':
        return word("true", Boolean.TRUE);
      case 'f':
        return word("false", Boolean.FALSE);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> fields = new LinkedHashMap<String, Object>();
    at++;
    space();
    if (isNext('}')) return fields;
    while (true) {
      space();
      if (at >= text.length() || text.charAt(at) != '"') throw wrong();
      String name = string();
      space();
      if (!isNext(':')) throw wrong();
      fields.put(name, value(depth + 1));
      space();
      if (isNext('}')) return fields;
      if (!isNext(',')) throw wrong();
    }
  }

  private List<Object> array(int depth) {
    List<Object> values = new ArrayList<Object>();
    at++;
    space();
    if (isNext(']')) return values;
    while (true) {
      values.add(value(depth + 1));
      space();
      if (isNext(']')) return values;
      if (!isNext(',')) throw wrong();
    }
  }

  private String string() {
    int from = ++at;
    while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\' && text.charAt(at) >= ' ') at++;
    if (isNext('"')) return text.substring(from, at - 1);
    StringBuilder made = new StringBuilder(text.substring(from, at));
    while (at < text.length()) {
      char one = text.charAt(at++);
      if (one == '"') return made.toString();
      if (one < ' ') break;
      made.append(one == '\\' ? escaped() : one);
    }
    at = Math.min(at, text.length());
    throw wrong();
  }

  private char escaped() {
    if (at >= text.length()) throw wrong();
    char one = text.charAt(at++);
    int place = "\"\\/bfnrt".indexOf(one);
    if (place >= 0) return "\"\\/\b\f\n\r\t".charAt(place);
    if (one != 'u' || at + 4 > text.length()) throw wrong();
    int code = 0;
    for (int i = 0; i < 4; i++) {
      char digit = text.charAt(at++);
      // Character.digit also takes digits of other scripts.
      int worth = digit < 128 ? Character.digit(digit, 16) : -1;
      if (worth < 0) throw wrong();
      code = code * 16 + worth;
    }
    return (char) code;
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) throw wrong();
    at += word.length();
    return value;
  }

  private Object number() {
    int from = at;
    isNext('-');
    if (!isNext('0')) digits();
    boolean isWhole = true;
    if (isNext('.')) {
      isWhole = false;
      digits();
    }
    if (isNext('e') || isNext('E')) {
      isWhole = false;
      if (!isNext('+')) isNext('-');
      digits();
    }
    String number = text.substring(from, at);
    if (isWhole && number.length() < 19) return Long.valueOf(number);
    return Double.valueOf(number);
  }

  private void digits() {
    int from = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') at++;
    if (at == from) throw wrong();
  }

  private void space() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) at++;
  }

  private boolean isNext(char one) {
    if (at >= text.length() || text.charAt(at) != one) return false;
    at++;
    return true;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException(
        at >= text.length() ? "the JSON breaks off" : "the JSON is wrong at character " + at);
  }

  /**
   * Writes a value as JSON that survives any encoding of Unicode: halves of characters are escaped.
   *
   * @throws IllegalArgumentException if something in it has no JSON, or it is too deep
   */
  public static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out, 0);
    return out.toString();
  }

  private static void write(Object value, StringBuilder out, int depth) {
    if (depth > MAX_DEPTH) throw new IllegalArgumentException("the value is deeper than " + MAX_DEPTH);
    if (value == null || value instanceof Boolean) out.append(value);
    else if (value instanceof CharSequence || value instanceof Character) quote(value.toString(), out);
    else if (value instanceof Number) number((Number) value, out);
    else if (value instanceof Map) {
      String comma = "";
      out.append('{');
      for (Map.Entry<?, ?> field : ((Map<?, ?>) value).entrySet()) {
        out.append(comma);
        quote(String.valueOf(field.getKey()), out);
        out.append(':');
        write(field.getValue(), out, depth + 1);
        comma = ",";
      }
      out.append('}');
    } else if (value instanceof Iterable) {
      String comma = "";
      out.append('[');
      for (Object one : (Iterable<?>) value) {
        out.append(comma);
        write(one, out, depth + 1);
        comma = ",";
      }
      out.append(']');
    } else throw new IllegalArgumentException("a " + value.getClass().getName() + " has no JSON");
  }

  private static void number(Number value, StringBuilder out) {
    double real = value.doubleValue();
    // As JSON.stringify does.
    if (Double.isNaN(real) || Double.isInfinite(real)) out.append("null");
    else out.append(value);
  }

  private static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      int place = "\"\\\b\f\n\r\t".indexOf(one);
      if (place >= 0) out.append('\\').append("\"\\bfnrt".charAt(place));
      else if (one < ' ' || one == '\u2028' || one == '\u2029' || isHalf(text, i)) hex(one, out);
      else out.append(one);
    }
    out.append('"');
  }

  private static boolean isHalf(String text, int i) {
    char one = text.charAt(i);
    if (Character.isHighSurrogate(one)) return i + 1 >= text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    return Character.isLowSurrogate(one) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }

  private static void hex(char one, StringBuilder out) {
    String digits = Integer.toHexString(one);
    out.append("\\u").append("0000".substring(digits.length())).append(digits);
  }

  /** A field that is a text, or {@code ""}. */
  public static String text(Map<String, ?> fields, String name) {
    Object value = fields.get(name);
    return value instanceof String ? (String) value : "";
  }

  /** A field that is a number, or 0. */
  public static long whole(Map<String, ?> fields, String name) {
    Object value = fields.get(name);
    return value instanceof Number ? ((Number) value).longValue() : 0;
  }

  /** Whether a field is {@code true}. */
  public static boolean is(Map<String, ?> fields, String name) {
    return Boolean.TRUE.equals(fields.get(name));
  }

  /** A field that is an object, or an empty one. */
  @SuppressWarnings("unchecked")
  public static Map<String, Object> object(Map<String, ?> fields, String name) {
    Object value = fields.get(name);
    return value instanceof Map ? (Map<String, Object>) value : Collections.<String, Object>emptyMap();
  }

  /** The objects in a field that is a list. */
  @SuppressWarnings("unchecked")
  public static List<Map<String, Object>> objects(Map<String, ?> fields, String name) {
    List<Map<String, Object>> found = new ArrayList<Map<String, Object>>();
    if (fields.get(name) instanceof List)
      for (Object one : (List<Object>) fields.get(name)) if (one instanceof Map) found.add((Map<String, Object>) one);
    return found;
  }

  /** The texts in a field that is a list. */
  public static List<String> texts(Map<String, ?> fields, String name) {
    List<String> found = new ArrayList<String>();
    if (fields.get(name) instanceof List)
      for (Object one : (List<?>) fields.get(name)) if (one instanceof String) found.add((String) one);
    return found;
  }
}
