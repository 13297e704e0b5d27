package dev.detent;

import java.io.File;
import java.util.concurrent.Executor;

/** How a client reaches its gateway. */
public final class DetentConfig {
  private final String url;
  private final TokenProvider tokens;
  private final Storage storage;
  private String token;
  private String user = "";
  private Executor executor;
  private StateListener stateListener;
  private long signOfLifeMs = 15000;
  private long minRetryMs = 250;
  private long maxRetryMs = 15000;
  private long toolTimeoutMs = 60000;
  private long toolDeadlineMs = 600000;
  private int maxQueued = 1000;
  private boolean startsInBackground;

  /**
   * @param url of the gateway, with its prefix: {@code https://shop.example/agent}
   * @param tokens asked for a token when the gateway says 401
   * @param folder of this client's own, for what must survive the process; on Android, one in {@code context.getFilesDir()}
   */
  public DetentConfig(String url, TokenProvider tokens, File folder) {
    this(url, tokens, new FileStorage(folder));
  }

  public DetentConfig(String url, TokenProvider tokens, Storage storage) {
    if (url == null || !url.matches("https?://.+")) throw new IllegalArgumentException("url is not an address: " + url);
    if (tokens == null || storage == null) throw new IllegalArgumentException("tokens and storage are needed");
    this.url = url.replaceAll("/+$", "");
    this.tokens = tokens;
    this.storage = storage;
  }

  /** A token that the app has already: saves the first request its 401. */
  public DetentConfig token(String token) {
    this.token = token;
    return this;
  }

  /** Who is logged in, in the app's words. What another user left in the storage is deleted, not sent. */
  public DetentConfig user(String user) {
    this.user = user;
    return this;
  }

  /** Where listeners and callbacks are called, one at a time; on Android, the main thread. Default: a thread of the client's own. */
  public DetentConfig executor(Executor executor) {
    this.executor = executor;
    return this;
  }

  public DetentConfig stateListener(StateListener listener) {
    stateListener = listener;
    return this;
  }

  /** Between two signs of life of the gateway ({@code heartbeatMs} of its limits). After two missed ones a stream is given up. */
  public DetentConfig signOfLifeMs(long ms) {
    signOfLifeMs = ms;
    return this;
  }

  /** Between two attempts to reach the gateway: the wait doubles, less a random part. */
  public DetentConfig retryMs(long min, long max) {
    minRetryMs = min;
    maxRetryMs = max;
    return this;
  }

  /** How long a tool of the app may take. Then the model reads that it took too long. */
  public DetentConfig toolTimeoutMs(long ms) {
    toolTimeoutMs = ms;
    return this;
  }

  /** How long after the model's call a tool of the app may still begin. Later the model reads that the app was offline. */
  public DetentConfig toolDeadlineMs(long ms) {
    toolDeadlineMs = ms;
    return this;
  }

  /** Sends that may wait for the gateway. */
  public DetentConfig maxQueued(int count) {
    maxQueued = count;
    return this;
  }

  /** For a process that a push message started: nothing is sent or read before {@link DetentClient#foreground} or {@link DetentClient#sync}. */
  public DetentConfig startInBackground() {
    startsInBackground = true;
    return this;
  }

  public String getUrl() {
    return url;
  }

  public TokenProvider getTokens() {
    return tokens;
  }

  public Storage getStorage() {
    return storage;
  }

  public String getToken() {
    return token;
  }

  public String getUser() {
    return user;
  }

  public Executor getExecutor() {
    return executor;
  }

  public StateListener getStateListener() {
    return stateListener;
  }

  public long getSignOfLifeMs() {
    return signOfLifeMs;
  }

  public long getMinRetryMs() {
    return minRetryMs;
  }

  public long getMaxRetryMs() {
    return maxRetryMs;
  }

  public long getToolTimeoutMs() {
    return toolTimeoutMs;
  }

  public long getToolDeadlineMs() {
    return toolDeadlineMs;
  }

  public int getMaxQueued() {
    return maxQueued;
  }

  public boolean isStartedInBackground() {
    return startsInBackground;
  }
}
