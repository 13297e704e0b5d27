package dev.detent.internal;

import dev.detent.DetentException;
import dev.detent.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.Charset;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;

/** Requests of one user over HTTP. */
final class Transport {
  static final Charset UTF_8 = Charset.forName("UTF-8");
  private static final int CONNECT_MS = 10000;
  private static final int ANSWER_MS = 45000;
  private static final int MAX_BYTES = 32 << 20;
  /** A token may be over before the request with it arrives: so often one is asked for. */
  private static final int MAX_TOKENS = 3;
  /** Streams that wait for the head of their answer. All at once, after a cut, would each wait too long at a busy gateway, and be asked for again. */
  private static final int MAX_OPENING = 8;
  private final String url;
  private final Tokens tokens;
  private final long signOfLifeMs;
  private final Semaphore opening = new Semaphore(MAX_OPENING, true);
  private final Set<HttpURLConnection> open = new HashSet<HttpURLConnection>();
  private boolean isOpen = true;
  private volatile long clockAheadMs;

  Transport(String url, Tokens tokens, long signOfLifeMs) {
    this.url = url + "/api/v1";
    this.tokens = tokens;
    this.signOfLifeMs = signOfLifeMs;
  }

  /** The time by the clock of the gateway, in milliseconds since 1970. */
  long now() {
    return System.currentTimeMillis() + clockAheadMs;
  }

  Map<String, Object> get(String path) throws DetentException, InterruptedException {
    return answer("GET", path, null, null, null, ANSWER_MS);
  }

  /** @param waitMs how long the gateway may take its time */
  Map<String, Object> get(String path, long waitMs) throws DetentException, InterruptedException {
    return answer("GET", path, null, null, null, (int) (ANSWER_MS + waitMs));
  }

  Map<String, Object> post(String path, String key, String json) throws DetentException, InterruptedException {
    return answer("POST", path, key, json.getBytes(UTF_8), "application/json", ANSWER_MS);
  }

  Map<String, Object> upload(String path, String key, byte[] bytes, String type)
      throws DetentException, InterruptedException {
    return answer("POST", path, key, bytes, type, ANSWER_MS);
  }

  /** The events of a run behind a transition; null when it is over and has no more. */
  EventStream events(String runId, long afterSeq) throws DetentException, InterruptedException {
    Map<String, String> headers = new LinkedHashMap<String, String>();
    headers.put("Accept", "text/event-stream");
    headers.put("Last-Event-ID", String.valueOf(afterSeq));
    opening.acquire();
    HttpURLConnection connection;
    try {
      connection = send("GET", "/runs/" + runId + "/events", headers, null, (int) (2 * signOfLifeMs));
    } finally {
      opening.release();
    }
    try {
      if (connection.getResponseCode() != 204) return new EventStream(this, connection, connection.getInputStream());
      close(connection);
      return null;
    } catch (IOException failed) {
      close(connection);
      throw unreachable(failed);
    } catch (RuntimeException failed) {
      close(connection);
      throw unreachable(cutOff(failed));
    }
  }

  /** HttpURLConnection of a JDK throws whatever comes when another thread closes the connection that it is about to read. */
  static IOException cutOff(RuntimeException failed) {
    return new IOException("the connection was closed: " + failed.getMessage());
  }

  private Map<String, Object> answer(String verb, String path, String key, byte[] body, String type, int answerMs)
      throws DetentException, InterruptedException {
    Map<String, String> headers = new LinkedHashMap<String, String>();
    headers.put("Accept", "application/json");
    if (key != null) headers.put("Idempotency-Key", key);
    if (type != null) headers.put("Content-Type", type);
    HttpURLConnection connection = send(verb, path, headers, body, answerMs);
    try {
      return Json.parseObject(read(connection.getInputStream()));
    } catch (IOException failed) {
      throw unreachable(failed);
    } catch (RuntimeException wrong) {
      throw unreachable(cutOff(wrong));
    } finally {
      close(connection);
    }
  }

  /** @return a connection whose answer says that it went well */
  private HttpURLConnection send(String verb, String path, Map<String, String> headers, byte[] body, int answerMs)
      throws DetentException, InterruptedException {
    for (int tries = 1; ; tries++) {
      String token = tokens.current();
      HttpURLConnection connection = null;
      try {
        connection = (HttpURLConnection) new URL(url + path).openConnection();
        register(connection);
        connection.setRequestMethod(verb);
        connection.setConnectTimeout(CONNECT_MS);
        connection.setReadTimeout(answerMs);
        connection.setUseCaches(false);
        // The token goes to nobody else.
        connection.setInstanceFollowRedirects(false);
        // Android asks for gzip by itself, and then holds events back.
        connection.setRequestProperty("Accept-Encoding", "identity");
        // So that no idle connection outlives the client, and a stream can be closed while another thread reads it.
        connection.setRequestProperty("Connection", "close");
        for (Map.Entry<String, String> header : headers.entrySet())
          connection.setRequestProperty(header.getKey(), header.getValue());
        if (token != null) connection.setRequestProperty("Authorization", "Bearer " + token);
        if (body != null) {
          connection.setDoOutput(true);
          connection.getOutputStream().write(body);
        }
        int status = statusOf(connection);
        long date = connection.getDate();
        if (date > 0) clockAheadMs = date - System.currentTimeMillis();
        if (status >= 200 && status < 300) return connection;
        DetentException refused = errorOf(connection, status);
        close(connection);
        if (status != 401 || tries == MAX_TOKENS) throw refused;
      } catch (IOException failed) {
        close(connection);
        throw unreachable(failed);
      } catch (RuntimeException failed) {
        close(connection);
        throw unreachable(cutOff(failed));
      }
      tokens.renew(token);
    }
  }

  private void register(HttpURLConnection connection) throws IOException {
    synchronized (open) {
      if (!isOpen) throw new IOException("the client is in the background");
      open.add(connection);
    }
  }

  void close(HttpURLConnection connection) {
    if (connection == null) return;
    synchronized (open) {
      open.remove(connection);
    }
    disconnect(connection);
  }

  private static void disconnect(HttpURLConnection connection) {
    try {
      connection.disconnect();
    } catch (RuntimeException closed) {
      // By another thread, at this moment.
    }
  }

  /** Breaks all connections, and makes none until {@link #open}. */
  void closeAll() {
    HttpURLConnection[] all;
    synchronized (open) {
      isOpen = false;
      all = open.toArray(new HttpURLConnection[0]);
      open.clear();
    }
    for (HttpURLConnection one : all) disconnect(one);
  }

  void open() {
    synchronized (open) {
      isOpen = true;
    }
  }

  private static int statusOf(HttpURLConnection connection) throws IOException {
    try {
      return connection.getResponseCode();
    } catch (IOException failed) {
      // Some Androids throw at a 401 without a challenge that they know, and say 401 when they are asked again.
      String message = String.valueOf(failed.getMessage());
      if (message.contains("authentication challenge")) return connection.getResponseCode();
      throw failed;
    }
  }

  private static DetentException errorOf(HttpURLConnection connection, int status) {
    Map<String, Object> problem = new LinkedHashMap<String, Object>();
    try {
      InputStream in = connection.getErrorStream();
      if (in != null) problem = Json.parseObject(read(in));
    } catch (IOException broken) {
      // The status says enough.
    } catch (IllegalArgumentException wrong) {
      // Not from the gateway: from a proxy.
    }
    String code = Json.text(problem, "code");
    boolean isRetryable = Json.is(problem, "retryable") || (code.isEmpty() && (status >= 500 || status == 429));
    Map<String, Object> details = new LinkedHashMap<String, Object>(Json.object(problem, "details"));
    String wait = connection.getHeaderField("Retry-After");
    if (wait != null && wait.matches("\\d{1,5}")) details.put("retryAfterMs", Long.parseLong(wait) * 1000);
    String message = Json.text(problem, "detail");
    return new DetentException(
        status == 401 ? "UNAUTHORIZED" : code.isEmpty() ? "HTTP_" + status : code,
        message.isEmpty() ? "the gateway answered " + status : message,
        isRetryable || status == 401,
        details);
  }

  private static String read(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      bytes.write(buffer, 0, count);
      if (bytes.size() > MAX_BYTES) throw new IOException("the answer has more than " + MAX_BYTES + " bytes");
    }
    return new String(bytes.toByteArray(), UTF_8);
  }

  static DetentException unreachable(IOException failed) {
    return new DetentException("UNREACHABLE", "the gateway cannot be reached: " + failed.getMessage(), true, null);
  }
}
