package dev.detent.internal;

import dev.detent.DetentException;
import dev.detent.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.HttpURLConnection;
import java.util.Map;

/** Reads server-sent events. What the connection cut off in the middle is dropped. */
final class EventStream {
  private static final int MAX_CHARS = 32 << 20;
  private final Transport transport;
  private final HttpURLConnection connection;
  private final Reader in;
  private final char[] buffer = new char[4096];
  private int at;
  private int end;

  EventStream(Transport transport, HttpURLConnection connection, InputStream in) {
    this.transport = transport;
    this.connection = connection;
    this.in = new InputStreamReader(in, Transport.UTF_8);
  }

  /**
   * Waits for the next event.
   *
   * @return null when the stream has ended
   * @throws DetentException {@code UNREACHABLE} when it broke, or gave no sign of life; what the gateway ended it with
   */
  Map<String, Object> next() throws DetentException {
    try {
      StringBuilder data = new StringBuilder();
      String name = "";
      for (String line = line(); line != null; line = line()) {
        if (line.startsWith("data:")) data.append(data.length() == 0 ? "" : "\n").append(valueOf(line, 5));
        else if (line.startsWith("event:")) name = valueOf(line, 6);
        if (data.length() > MAX_CHARS) throw new IOException("an event is too large");
        if (!line.isEmpty() || data.length() == 0) continue;
        Map<String, Object> event = Json.parseObject(data.toString());
        if (!name.equals("subscription.ended")) return event;
        String code = Json.text(event, "code");
        // The token is over: the next connection gets a new one.
        boolean isRetryable = Json.is(event, "retryable") || code.equals("UNAUTHORIZED");
        throw new DetentException(code, Json.text(event, "message"), isRetryable, event);
      }
      return null;
    } catch (IOException broken) {
      throw Transport.unreachable(broken);
    } catch (RuntimeException wrong) {
      throw Transport.unreachable(Transport.cutOff(wrong));
    }
  }

  void close() {
    transport.close(connection);
  }

  private static String valueOf(String line, int from) {
    return line.startsWith(" ", from) ? line.substring(from + 1) : line.substring(from);
  }

  /** Null at the end of the stream, also in the middle of a line. */
  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      if (at == end) {
        at = 0;
        end = Math.max(0, in.read(buffer));
        if (end == 0) return null;
      }
      int from = at;
      while (at < end && buffer[at] != '\n') at++;
      line.append(buffer, from, at - from);
      if (line.length() > MAX_CHARS) throw new IOException("a line is too long");
      if (at == end) continue;
      at++;
      int length = line.length();
      if (length > 0 && line.charAt(length - 1) == '\r') line.setLength(length - 1);
      return line.toString();
    }
  }
}
