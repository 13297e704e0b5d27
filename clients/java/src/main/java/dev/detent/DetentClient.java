package dev.detent;

import dev.detent.internal.Life;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** A client of a gateway, for one user at a time. All methods may be called on any thread; those that wait say so. */
public final class DetentClient {
  private final DetentConfig config;
  private final Map<String, Tool> tools = new LinkedHashMap<String, Tool>();
  private Life life;
  private boolean isClosed;

  public DetentClient(DetentConfig config) {
    this.config = config;
    life = new Life(config, config.getToken(), !config.isStartedInBackground());
  }

  private synchronized Life life() {
    if (isClosed) throw new IllegalStateException("the client was shut down");
    return life;
  }

  /** An engine with a conversation of its own. */
  public Engine createEngine(Agent agent) {
    return createEngine(agent, newSession());
  }

  /**
   * An engine that continues a conversation: what the app has not seen of its runs before it was killed comes to the first listener that is
   * added.
   */
  public Engine createEngine(Agent agent, String sessionId) {
    return life().createEngine(agent, sessionId);
  }

  public void destroyEngine(Engine engine) {
    engine.shutdown();
  }

  /** An id for a new conversation. */
  public String newSession() {
    return "app-" + UUID.randomUUID();
  }

  /** Later answers in the conversation know nothing of what was said so far. */
  public void clearSession(String sessionId) {
    life().clear(sessionId);
  }

  /** A tool that the app performs. Runs that begin from now on have it; calls that an earlier life of the app left are taken up. */
  public void registerTool(Tool tool) {
    synchronized (this) {
      tools.put(tool.getName(), tool);
    }
    life().register(tool);
  }

  /**
   * Sends a file, for {@link ContentPart#attachment}. Waits for the answer: do not call it on the main thread.
   *
   * @return its id
   */
  public String upload(byte[] bytes, String mimeType, String name) throws DetentException, InterruptedException {
    return life().upload(bytes, mimeType, name);
  }

  /** The app went to the background: closes all connections, and all threads end. Tools under way come to their end. */
  public void background() {
    life().pause();
  }

  /** The app is visible, the network is back, or the user has logged in: connects at once, and continues each run where it was. */
  public void foreground() {
    life().resume();
  }

  /**
   * Brings a run up to date, also in the background: sends what waits, performs tools of the app, and returns when the run has ended,
   * waits for a person, or the time is over. What a push handler calls. It waits: do not call it on the main thread.
   */
  public SyncResult sync(String runId, long timeoutMs) throws DetentException, InterruptedException {
    return life().sync(runId, timeoutMs);
  }

  public ConnectionState getState() {
    synchronized (this) {
      return isClosed ? ConnectionState.CLOSED : life.getState();
    }
  }

  /**
   * Ends all engines, streams and threads, and deletes the queue and the journal: what the user said and was not sent is gone. Returns
   * when that is done; then another user may log in.
   */
  public synchronized void logout() {
    if (isClosed) return;
    life.end(true);
    life = new Life(config, null, !config.isStartedInBackground());
    for (Tool tool : tools.values()) life.register(tool);
  }

  /** Ends all engines, streams and threads. What was not sent is kept, and sent when a client is made again. */
  public synchronized void shutdown() {
    if (isClosed) return;
    isClosed = true;
    life.end(false);
  }
}
