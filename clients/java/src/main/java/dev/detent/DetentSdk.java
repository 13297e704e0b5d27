package dev.detent;

/** The one {@link DetentClient} of an app. */
public final class DetentSdk {
  private static volatile DetentClient client;

  private DetentSdk() {}

  /** Begins; reads nothing from disk and asks nobody on this thread. A second call first ends the earlier client. */
  public static synchronized void initialize(DetentConfig config) {
    shutdown();
    client = new DetentClient(config);
  }

  /** @throws IllegalStateException before {@link #initialize} */
  public static DetentClient client() {
    DetentClient now = client;
    if (now == null) throw new IllegalStateException("call DetentSdk.initialize first");
    return now;
  }

  /** @see DetentClient#createEngine(Agent) */
  public static Engine createEngine(Agent agent) {
    return client().createEngine(agent);
  }

  /** @see DetentClient#createEngine(Agent, String) */
  public static Engine createEngine(Agent agent, String sessionId) {
    return client().createEngine(agent, sessionId);
  }

  /** @see DetentClient#destroyEngine */
  public static void destroyEngine(Engine engine) {
    client().destroyEngine(engine);
  }

  /** @see DetentClient#newSession */
  public static String newSession() {
    return client().newSession();
  }

  /** @see DetentClient#clearSession */
  public static void clearSession(String sessionId) {
    client().clearSession(sessionId);
  }

  /** @see DetentClient#registerTool */
  public static void registerTool(Tool tool) {
    client().registerTool(tool);
  }

  /** @see DetentClient#shutdown */
  public static synchronized void shutdown() {
    DetentClient now = client;
    client = null;
    if (now != null) now.shutdown();
  }
}
