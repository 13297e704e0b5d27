package dev.detent.internal;

import dev.detent.Agent;
import dev.detent.ConnectionState;
import dev.detent.ContentPart;
import dev.detent.DetentConfig;
import dev.detent.DetentException;
import dev.detent.Engine;
import dev.detent.Json;
import dev.detent.StateListener;
import dev.detent.SyncResult;
import dev.detent.Tool;
import dev.detent.ToolResult;
import dev.detent.wire.RunEnd;
import dev.detent.wire.WireMessage;
import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadPoolExecutor;

/** All of a client between two logins. Public methods may be called on any thread; all others say where. */
public final class Life {
  private static final long END_MS = 3000;
  final DetentConfig config;
  final Threads threads = new Threads();
  final State state;
  final Transport transport;
  final Outbox outbox = new Outbox(this);
  final ToolRunner tools = new ToolRunner(this);
  private final Delivery delivery;
  /** The client's own, where the app gave none. */
  private final ThreadPoolExecutor ownExecutor;
  private final CopyOnWriteArrayList<EngineImpl> engines = new CopyOnWriteArrayList<EngineImpl>();
  /** These belong to the thread of the state. */
  private final Map<String, Watch> watches = new HashMap<String, Watch>();
  private final Map<String, List<RunSink>> sinks = new HashMap<String, List<RunSink>>();
  private boolean isLoaded;
  /** Runs that the gateway has begun for this client. */
  private long begun;

  /** Guards those below. */
  private final Object lock = new Object();

  private boolean isForeground;
  private int syncs;
  private boolean isHalted;
  private boolean isEnded;
  private int turns;
  private ConnectionState connection;

  public Life(DetentConfig config, String token, boolean isForeground) {
    this.config = config;
    this.isForeground = isForeground;
    connection = isForeground ? ConnectionState.IDLE : ConnectionState.BACKGROUND;
    state = new State(config.getStorage(), config.getUrl() + "\n" + config.getUser());
    transport = new Transport(config.getUrl(), new Tokens(config.getTokens(), token), config.getSignOfLifeMs());
    ownExecutor = config.getExecutor() == null ? Threads.forCallbacks() : null;
    delivery = new Delivery(ownExecutor == null ? config.getExecutor() : ownExecutor);
    if (!isForeground) transport.closeAll();
    threads.act(
        new Runnable() {
          @Override
          public void run() {
            load();
          }
        });
  }

  private void load() {
    try {
      state.load();
    } catch (IOException failed) {
      report(failed);
    }
    isLoaded = true;
    outbox.run();
    tools.pump();
  }

  boolean isLoaded() {
    return isLoaded;
  }

  /** @return whether it is written */
  boolean save() {
    try {
      state.save();
      return true;
    } catch (IOException failed) {
      report(failed);
      return false;
    }
  }

  private void report(IOException failed) {
    tellState(getState(), new DetentException("STORAGE", "the storage fails: " + failed.getMessage(), true, null));
  }

  // The life of the app.

  boolean isActive() {
    synchronized (lock) {
      return !isEnded && !isHalted && (isForeground || syncs > 0);
    }
  }

  public ConnectionState getState() {
    synchronized (lock) {
      return connection;
    }
  }

  public void pause() {
    synchronized (lock) {
      isForeground = false;
    }
    turn(ConnectionState.BACKGROUND, null);
  }

  public void resume() {
    synchronized (lock) {
      isForeground = true;
      isHalted = false;
    }
    turn(null, null);
  }

  /** Nobody is logged in. */
  void halt(DetentException error) {
    synchronized (lock) {
      isHalted = true;
    }
    turn(ConnectionState.UNAUTHORIZED, error);
  }

  /** Opens or closes connections, as the flags say. Closing may take the network, so it is not done on the thread of the caller. */
  private void turn(ConnectionState now, DetentException error) {
    if (now != null && !isActive()) tellState(now, error);
    threads.act(
        new Runnable() {
          @Override
          public void run() {
            if (isActive()) transport.open();
            else transport.closeAll();
            wake();
            if (!isActive()) return;
            for (Watch watch : watches.values()) watch.start();
            outbox.hurry();
            tools.pump();
          }
        });
  }

  private void wake() {
    synchronized (lock) {
      turns++;
      lock.notifyAll();
    }
  }

  long waitMs(int fails) {
    double most = Math.min(config.getMaxRetryMs(), config.getMinRetryMs() * Math.pow(2, Math.min(fails - 1, 20)));
    return (long) (most * (0.5 + Math.random() / 2));
  }

  /** Waits before the next attempt, or until the app went to the foreground or background. */
  void rest(int fails) throws InterruptedException {
    long until = System.nanoTime() + waitMs(fails) * 1000000;
    synchronized (lock) {
      int turn = turns;
      while (turn == turns && !isEnded) {
        long left = (until - System.nanoTime()) / 1000000;
        if (left <= 0) return;
        lock.wait(left);
      }
    }
  }

  /** @param error null when the gateway answered */
  void note(DetentException error) {
    if (!isActive()) return;
    if (error == null) tellState(ConnectionState.ONLINE, null);
    else if (error.getCode().equals("UNREACHABLE")) tellState(ConnectionState.OFFLINE, error);
    else if (error.getCode().equals("UNAUTHORIZED")) tellState(ConnectionState.UNAUTHORIZED, error);
  }

  private void tellState(final ConnectionState now, final DetentException error) {
    synchronized (lock) {
      boolean isStorage = error != null && error.getCode().equals("STORAGE");
      if (isEnded || (now == connection && !isStorage)) return;
      connection = now;
    }
    final StateListener listener = config.getStateListener();
    if (listener == null) return;
    delivery.post(
        new Runnable() {
          @Override
          public void run() {
            listener.onState(now, error);
          }
        });
  }

  /** Ends all. @param isForgotten whether the queue and the journal are deleted */
  public void end(boolean isForgotten) {
    synchronized (lock) {
      if (isEnded) return;
      isEnded = true;
    }
    wake();
    for (EngineImpl engine : engines) engine.forgetListeners();
    engines.clear();
    // On a thread of its own: an Android app may not use the network on its main thread, and closing does.
    Thread closing =
        new Thread("detent-closing") {
          @Override
          public void run() {
            transport.closeAll();
            delivery.end();
            try {
              threads.end(END_MS);
            } catch (InterruptedException stop) {
              // Nobody interrupts it.
            }
          }
        };
    closing.start();
    try {
      closing.join(2 * END_MS);
      if (ownExecutor != null) Threads.end(ownExecutor, END_MS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    StateListener listener = config.getStateListener();
    if (isForgotten) {
      try {
        config.getStorage().write(State.NAME, null);
      } catch (IOException failed) {
        if (listener != null) listener.onState(ConnectionState.CLOSED, new DetentException("STORAGE", failed.getMessage()));
      }
    }
  }

  // Engines.

  public Engine createEngine(Agent agent, String sessionId) {
    return new EngineImpl(this, agent, sessionId);
  }

  /** Begins to hand on what comes in the conversation of an engine. @return false if it was destroyed */
  boolean attach(final EngineImpl engine) {
    if (isEnded() || engine.isDestroyed()) return false;
    if (!engines.addIfAbsent(engine)) return true;
    threads.act(
        new Runnable() {
          @Override
          public void run() {
            for (Map.Entry<String, Map<String, Object>> run : state.runs.entrySet())
              if (Json.text(run.getValue(), "session").equals(engine.getSessionId())) watch(run.getKey());
            tools.pump();
          }
        });
    return true;
  }

  void destroy(EngineImpl engine) {
    engines.remove(engine);
    threads.act(
        new Runnable() {
          @Override
          public void run() {
            for (Map.Entry<String, Map<String, Object>> run : state.runs.entrySet()) {
              Watch watch = watches.get(run.getKey());
              if (watch == null || !watch.isDelivering || hasEngine(run.getKey())) continue;
              watch.stop();
              watches.remove(run.getKey());
            }
          }
        });
  }

  private String sessionOf(String runId) {
    Map<String, Object> run = state.runs.get(runId);
    return run == null ? null : Json.text(run, "session");
  }

  private boolean hasEngine(String runId) {
    String session = sessionOf(runId);
    for (EngineImpl engine : engines) if (engine.getSessionId().equals(session)) return true;
    return false;
  }

  public void register(final Tool tool) {
    threads.act(
        new Runnable() {
          @Override
          public void run() {
            tools.register(tool);
          }
        });
  }

  // What goes to the gateway.

  private static DetentException closed() {
    return new DetentException("CLOSED", "the client was shut down, or its user has logged out");
  }

  private boolean refused(RunSink sink) {
    if (!isEnded()) return false;
    if (sink != null) sink.onEnd(closed());
    return true;
  }

  private boolean isEnded() {
    synchronized (lock) {
      return isEnded;
    }
  }

  void run(final EngineImpl engine, final List<ContentPart> input, final String key, final RunSink sink) {
    if (!attach(engine)) {
      if (sink != null) sink.onEnd(closed());
      return;
    }
    threads.act(
        new Runnable() {
          @Override
          public void run() {
            String known = state.runOf(key);
            if (known != null) addSink(known, sink);
            else if (state.hasEnded(key)) end(sink, null);
            else send(engine, input, key, sink);
          }
        });
  }

  private void send(EngineImpl engine, List<ContentPart> input, final String key, final RunSink sink) {
    StringBuilder prompt = new StringBuilder();
    List<Object> attachments = new ArrayList<Object>();
    for (ContentPart part : input)
      if (part.getAttachmentId() != null) attachments.add(Collections.singletonMap("id", part.getAttachmentId()));
      else prompt.append(prompt.length() == 0 ? "" : "\n").append(part.getText());
    Map<String, Object> body = new LinkedHashMap<String, Object>();
    body.put("prompt", prompt.toString());
    body.put("sessionId", engine.getSessionId());
    Agent agent = engine.agent();
    if (!agent.getName().isEmpty()) body.put("agent", agent.getName());
    if (agent.getTools() != null) body.put("tools", agent.getTools());
    if (tools.declared() != null) body.put("clientTools", tools.declared());
    if (!attachments.isEmpty()) body.put("attachments", attachments);
    String session = engine.getSessionId();
    outbox.add(key, "run", laneOf(session), session, "/runs", body, sink);
  }

  private static String laneOf(String session) {
    return "session " + session;
  }

  /** The gateway has a run of the queue. */
  void began(Map<String, Object> send, Map<String, Object> answer, RunSink sink) {
    String session = Json.text(send, "session");
    String runId = Json.text(answer, "runId");
    state.began(runId, session, Json.text(send, "key"));
    state.sessions.put(session, Json.text(answer, "sessionId"));
    begun++;
    save();
    addSink(runId, sink);
    watch(runId);
  }

  public void clear(String session) {
    ofSession("clear", session, new LinkedHashMap<String, Object>(), null);
  }

  /** @param kind {@code clear} or {@code rate} */
  void ofSession(final String kind, final String session, final Map<String, Object> body, final RunSink sink) {
    if (refused(sink)) return;
    threads.act(
        new Runnable() {
          @Override
          public void run() {
            // The lane of the session, so that it comes behind what was said before.
            outbox.add(UUID.randomUUID().toString(), kind, laneOf(session), session, "", body, sink);
          }
        });
  }

  /**
   * @return where a request of the queue goes; null if there is nothing to clear yet
   * @throws DetentException {@code NOT_FOUND}: there is nothing to rate yet
   */
  String pathOf(Map<String, Object> send) throws DetentException {
    String kind = Json.text(send, "kind");
    boolean isRating = kind.equals("rate");
    if (!isRating && !kind.equals("clear")) return Json.text(send, "path");
    String known = Json.text(state.sessions, Json.text(send, "session"));
    if (!known.isEmpty()) return "/sessions/" + encoded(known) + (isRating ? "/ratings" : "/clear");
    if (isRating) throw new DetentException("NOT_FOUND", "nothing was said yet in this conversation");
    return null;
  }

  private static String encoded(String text) {
    try {
      return URLEncoder.encode(text, "UTF-8").replace("+", "%20");
    } catch (UnsupportedEncodingException never) {
      throw new IllegalStateException(never);
    }
  }

  void decide(final String runId, final String what, final Map<String, Object> body, final RunSink sink) {
    if (refused(sink)) return;
    threads.act(
        new Runnable() {
          @Override
          public void run() {
            String path = "/runs/" + encoded(runId) + "/" + what;
            outbox.add(UUID.randomUUID().toString(), "decide", "run " + runId, "", path, body, sink);
          }
        });
  }

  void resolve(final String runId, final String callId, final ToolResult result) {
    threads.act(
        new Runnable() {
          @Override
          public void run() {
            tools.resolve(runId, callId, result);
          }
        });
  }

  void sendResult(Map<String, Object> call, ToolResult result) {
    Map<String, Object> body = new LinkedHashMap<String, Object>();
    body.put("result", result.isSuccess() ? result.getContent() : result.getError());
    if (!result.isSuccess()) body.put("isError", true);
    body.put("installation", state.installation());
    String runId = Json.text(call, "runId");
    String callId = Json.text(call, "callId");
    String path = "/runs/" + encoded(runId) + "/results/" + callId;
    outbox.add("result " + runId + " " + callId, "result", "call " + runId + " " + callId, "", path, body, null);
  }

  /**
   * On the thread of a tool: no other device of the user performs the call, for a time.
   *
   * @throws DetentException {@code CALL_CLAIMED} when another one does
   */
  void claim(Map<String, Object> call, long holdMs) throws DetentException, InterruptedException {
    Map<String, Object> body = new LinkedHashMap<String, Object>();
    body.put("installation", state.installation());
    body.put("holdMs", holdMs);
    String path = "/runs/" + encoded(Json.text(call, "runId")) + "/claims/" + Json.text(call, "callId");
    transport.post(path, null, Json.write(body));
    note(null);
  }

  public String upload(byte[] bytes, String mimeType, String name) throws DetentException, InterruptedException {
    String path = name == null ? "/attachments" : "/attachments?name=" + encoded(name);
    return Json.text(transport.upload(path, UUID.randomUUID().toString(), bytes, mimeType), "id");
  }

  // What comes from the gateway.

  /** Where the state belongs. */
  private void watch(String runId) {
    if (!hasEngine(runId)) return;
    Watch had = watches.get(runId);
    if (had != null && had.isDelivering) return;
    if (had != null) had.stop();
    Watch watch = new Watch(this, runId, sessionOf(runId), Json.whole(state.runs.get(runId), "seq"));
    watches.put(runId, watch);
    watch.start();
  }

  /** On the thread of a watch: another run has the words of the person who takes the conversation over. */
  void follow(String session, String takeover) throws InterruptedException {
    threads.ask(new Adoption(session, Collections.singletonList(takeover), -1));
  }

  /**
   * On the thread of a watch: the conversation may go on in runs that the app did not start: that of the person whom a tool asked for, or that
   * of the agent who answers after a person.
   */
  void followAll(String session, String runId) throws DetentException, InterruptedException {
    String known = Json.text(state.sessions, session);
    for (int tries = 1; isActive() && !known.isEmpty(); tries++) {
      long before = threads.ask(new Adoption(session, null, 0));
      List<String> newer = new ArrayList<String>();
      if (before >= 0) {
        for (Map<String, Object> run : Json.objects(transport.get("/runs?limit=20&sessionId=" + encoded(known)), "runs")) {
          if (Json.text(run, "runId").equals(runId)) break;
          newer.add(0, Json.text(run, "runId"));
        }
        // What the app itself began meanwhile may be among them, and its own callback waits for it.
        if (threads.ask(new Adoption(session, newer, before)) == before) return;
      }
      rest(tries);
    }
  }

  /** Watches runs of a conversation that the app did not start. */
  private final class Adoption implements Callable<Long> {
    private final String session;
    private final List<String> others;
    private final long expected;

    /** @param expected how many runs must have begun: else it does nothing; -1 for any */
    Adoption(String session, List<String> others, long expected) {
      this.session = session;
      this.others = others;
      this.expected = expected;
    }

    /** @return how many runs have begun, or -1 while sends in the conversation wait for their answers */
    @Override
    public Long call() {
      long now = begun;
      for (Map<String, Object> send : state.sends.values())
        if (Json.text(send, "kind").equals("run") && Json.text(send, "session").equals(session)) now = -1;
      if (others == null || (expected >= 0 && expected != now)) return now;
      for (String other : others) {
        if (state.runs.containsKey(other) || state.hasEnded(other)) continue;
        state.began(other, session, other);
        watch(other);
      }
      save();
      return now;
    }
  }

  private void addSink(String runId, RunSink sink) {
    if (sink == null) return;
    List<RunSink> all = sinks.get(runId);
    if (all == null) sinks.put(runId, all = new CopyOnWriteArrayList<RunSink>());
    all.add(sink);
  }

  /** On the thread of a watch: what is to be told, after the tools of the app know of it. */
  Telling saw(final Watch watch, final List<WireMessage> messages) throws InterruptedException {
    return threads.ask(
        new Callable<Telling>() {
          @Override
          public Telling call() {
            WireMessage last = messages.get(messages.size() - 1);
            watch.note(last);
            tools.saw(last);
            List<RunSink> own = sinks.get(watch.runId);
            if (own == null) own = Collections.emptyList();
            return new Telling(engines, sessionOf(watch.runId), own, messages);
          }
        });
  }

  /** Returns when the listeners have it. */
  void tell(Telling telling) throws InterruptedException {
    delivery.perform(telling);
  }

  /** Where the state belongs: the listeners have all of a transition. @param end of the run, if that was it */
  void passed(String runId, long seq, RunEnd end) {
    Map<String, Object> run = state.runs.get(runId);
    if (run == null) return;
    if (end == null) run.put("seq", seq);
    else state.ended(runId);
    save();
    if (end == null) return;
    DetentException error = null;
    if (end.getStatus().equals("cancelled")) error = new DetentException("CANCELLED", "the run was cancelled");
    else if (!end.getStatus().equals("done")) error = new DetentException(end.getErrorCode(), end.getError());
    endSinks(runId, error);
  }

  /** Where the state belongs. @param error why no more comes; null when the run is over */
  void watchEnded(String runId, Watch watch, DetentException error) {
    if (watches.get(runId) != watch) return;
    watches.remove(runId);
    if (!watch.isDelivering) return;
    if (state.runs.containsKey(runId)) {
      state.ended(runId);
      save();
    }
    endSinks(runId, error);
  }

  private void endSinks(String runId, DetentException error) {
    List<RunSink> all = sinks.remove(runId);
    if (all != null) for (RunSink sink : all) end(sink, error);
  }

  /** @param error null when it went well */
  void end(final RunSink sink, final Throwable error) {
    if (sink == null) return;
    delivery.post(
        new Runnable() {
          @Override
          public void run() {
            sink.onEnd(error);
          }
        });
  }

  /** Where the state belongs: asks the user about a call. @return false if nobody listens */
  boolean askUser(Map<String, Object> call) {
    final String runId = Json.text(call, "runId");
    if (!hasEngine(runId)) return false;
    Map<String, Object> event = new LinkedHashMap<String, Object>();
    event.put("event", "tool.undecided");
    event.put("runId", runId);
    event.put("payload", call);
    List<WireMessage> messages = Collections.singletonList(WireMessage.of(event));
    return delivery.post(new Telling(engines, sessionOf(runId), Collections.<RunSink>emptyList(), messages));
  }

  public SyncResult sync(final String runId, long timeoutMs) throws DetentException, InterruptedException {
    long until = System.nanoTime() + timeoutMs * 1000000;
    count(1);
    try {
      threads.ask(
          new Callable<Void>() {
            @Override
            public Void call() {
              if (state.runs.containsKey(runId)) watch(runId);
              if (watches.containsKey(runId)) return null;
              Watch watch = new Watch(Life.this, runId, null, 0);
              watches.put(runId, watch);
              watch.start();
              return null;
            }
          });
      while (true) {
        long left = Math.max(1, (until - System.nanoTime()) / 1000000);
        long ask = Math.min(left, 20000);
        Map<String, Object> run;
        try {
          run = transport.get("/runs/" + encoded(runId) + "/wait?timeoutMs=" + ask, ask);
        } catch (DetentException error) {
          if (!error.isRetryable() || System.nanoTime() > until) throw error;
          rest(1);
          continue;
        }
        note(null);
        boolean isOver = System.nanoTime() >= until;
        if (isOver || (isAtRest(run) && !isBusy(run))) return resultOf(run);
        // A tool of the app is under way, or its result.
        if (isAtRest(run)) rest(1);
      }
    } finally {
      count(-1);
    }
  }

  private void count(int more) {
    synchronized (lock) {
      syncs += more;
    }
    turn(ConnectionState.BACKGROUND, null);
  }

  private boolean isBusy(final Map<String, Object> run) throws InterruptedException {
    return threads.ask(
        new Callable<Boolean>() {
          @Override
          public Boolean call() {
            String runId = Json.text(run, "runId");
            if (tools.isBusy(runId, Json.objects(run, "pending")) || !state.sends.isEmpty()) return true;
            // Whether the listeners do not know yet what the gateway says: that it has ended, or for whom it waits.
            Watch watch = watches.get(runId);
            boolean isWaiting = Json.text(run, "status").equals("waiting");
            return watch != null && watch.isDelivering && !(isWaiting && watch.asks());
          }
        });
  }

  private static boolean isAtRest(Map<String, Object> run) {
    String status = Json.text(run, "status");
    return status.equals("waiting") || status.equals("done") || status.equals("failed") || status.equals("cancelled");
  }

  private static SyncResult resultOf(Map<String, Object> run) {
    List<WireMessage> pending = new ArrayList<WireMessage>();
    for (Map<String, Object> one : Json.objects(run, "pending")) {
      String kind = Json.text(one, "kind");
      if (kind.equals("client")) continue;
      Map<String, Object> payload = new LinkedHashMap<String, Object>(one);
      if (!(one.get("arguments") instanceof String)) payload.put("arguments", Json.write(one.get("arguments")));
      Map<String, Object> event = new LinkedHashMap<String, Object>();
      event.put("event", kind.equals("question") ? "question.asked" : "tool.confirm_request");
      event.put("runId", Json.text(run, "runId"));
      event.put("payload", payload);
      pending.add(WireMessage.of(event));
    }
    return new SyncResult(Json.text(run, "status"), Json.text(run, "text"), pending);
  }
}
