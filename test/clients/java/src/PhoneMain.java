import dev.detent.Agent;
import dev.detent.ConnectionState;
import dev.detent.ContentPart;
import dev.detent.Decision;
import dev.detent.DetentClient;
import dev.detent.DetentConfig;
import dev.detent.DetentException;
import dev.detent.Engine;
import dev.detent.EngineCallback;
import dev.detent.FileStorage;
import dev.detent.Json;
import dev.detent.SideEffect;
import dev.detent.StateListener;
import dev.detent.Storage;
import dev.detent.SyncResult;
import dev.detent.Thumb;
import dev.detent.TokenProvider;
import dev.detent.Tool;
import dev.detent.ToolCall;
import dev.detent.ToolResult;
import dev.detent.ToolSchema;
import dev.detent.WireListener;
import dev.detent.wire.ConfirmRequest;
import dev.detent.wire.QuestionAsked;
import dev.detent.wire.ToolUndecided;
import dev.detent.wire.WireMessage;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** An app: obeys lines of JSON on stdin, and says as lines of JSON what it is told. Uses nothing but what is public. */
public final class PhoneMain {
  private static PrintStream out;
  private static final Map<String, DetentClient> clients = new ConcurrentHashMap<String, DetentClient>();
  private static final Map<String, Engine> engines = new ConcurrentHashMap<String, Engine>();
  private static final Map<String, WireMessage> asked = new ConcurrentHashMap<String, WireMessage>();

  public static void main(String[] args) throws Exception {
    out = new PrintStream(System.out, false, "UTF-8");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      final Map<String, Object> order = Json.parseObject(line);
      Thread thread =
          new Thread("order") {
            @Override
            public void run() {
              obey(order);
            }
          };
      thread.start();
      if (!Json.is(order, "waits")) thread.join();
    }
    System.exit(0);
  }

  private static synchronized void say(Object... fields) {
    Map<String, Object> said = new LinkedHashMap<String, Object>();
    for (int i = 0; i < fields.length; i += 2) said.put((String) fields[i], fields[i + 1]);
    out.println(Json.write(said));
    out.flush();
  }

  private static void obey(Map<String, Object> order) {
    long id = Json.whole(order, "id");
    try {
      say("reply", id, "value", perform(order));
    } catch (DetentException error) {
      say("reply", id, "error", error.getCode());
    } catch (Exception error) {
      say("reply", id, "error", String.valueOf(error));
    }
  }

  private static Object perform(Map<String, Object> order) throws Exception {
    String what = Json.text(order, "do");
    String name = Json.text(order, "client");
    DetentClient client = clients.get(name);
    if (what.equals("open")) return open(name, order);
    if (what.equals("tool")) client.registerTool(new LoggingTool(order));
    else if (what.equals("engine")) return engine(client, order);
    else if (what.equals("run")) return run(order);
    else if (what.equals("destroy")) client.destroyEngine(engines.get(Json.text(order, "engine")));
    else if (what.equals("clear")) engines.get(Json.text(order, "engine")).clearHistory();
    else if (what.equals("confirm")) {
      ConfirmRequest request = (ConfirmRequest) asked.get(Json.text(order, "call"));
      String reason = Json.text(order, "reason");
      Decision decision = reason.isEmpty() ? Decision.approve() : Decision.reject(reason);
      engines.get(Json.text(order, "engine")).confirm(request, decision, ending(Json.text(order, "call")));
    } else if (what.equals("answer")) {
      QuestionAsked question = (QuestionAsked) asked.get(Json.text(order, "call"));
      engines.get(Json.text(order, "engine")).answer(question, order.get("answer"), ending(Json.text(order, "call")));
    } else if (what.equals("resolve")) {
      ToolUndecided question = (ToolUndecided) asked.get(Json.text(order, "call"));
      engines.get(Json.text(order, "engine")).resolve(question, ToolResult.success(Json.text(order, "result")));
    } else if (what.equals("cancel"))
      engines.get(Json.text(order, "engine")).cancel(Json.text(order, "run"), "enough", ending("cancel"));
    else if (what.equals("rate"))
      engines
          .get(Json.text(order, "engine"))
          .rate(Json.text(order, "run"), Thumb.valueOf(Json.text(order, "thumb")), Json.text(order, "reason"), ending("rate"));
    else if (what.equals("reset")) {
      for (DetentClient one : clients.values()) one.shutdown();
      clients.clear();
      engines.clear();
      asked.clear();
      ExactStorage.current = null;
    } else if (what.equals("background")) client.background();
    else if (what.equals("foreground")) client.foreground();
    else if (what.equals("logout")) client.logout();
    else if (what.equals("shutdown")) {
      long since = System.nanoTime();
      client.shutdown();
      return (System.nanoTime() - since) / 1000000;
    } else if (what.equals("sync")) {
      SyncResult result = client.sync(Json.text(order, "run"), Json.whole(order, "ms"));
      for (WireMessage one : result.getPending()) asked.put(Json.text(one.getPayload(), "callId"), one);
      return result.getStatus() + " " + result.getPending().size() + " " + result.getText();
    } else if (what.equals("upload"))
      return client.upload(Json.text(order, "content").getBytes("UTF-8"), "text/plain", "größe.txt");
    else if (what.equals("threads")) return threads();
    else if (what.equals("state")) return client.getState().name();
    else throw new IllegalArgumentException(what);
    return null;
  }

  /** The names of the threads that the client may have left: its own, and the JDK's while it keeps a connection of the client open. */
  private static Object threads() {
    List<Object> names = new ArrayList<Object>();
    for (Thread thread : Thread.getAllStackTraces().keySet())
      if (thread.getName().startsWith("detent") || thread.getName().equals("Keep-Alive-Timer")) names.add(thread.getName());
    return names;
  }

  private static Object open(final String name, final Map<String, Object> order) {
    ThreadMXBean times = ManagementFactory.getThreadMXBean();
    long since = System.nanoTime();
    long worked = times.getCurrentThreadCpuTime();
    File folder = new File(Json.text(order, "folder"));
    Storage storage = Json.is(order, "exact") ? new ExactStorage(folder) : new FileStorage(folder);
    DetentConfig config =
        new DetentConfig(
                Json.text(order, "url"),
                new TokenProvider() {
                  @Override
                  public String getToken() throws IOException {
                    return fetch(Json.text(order, "tokens"));
                  }
                },
                storage)
            .retryMs(20, 500)
            .user(Json.text(order, "user"))
            .stateListener(
                new StateListener() {
                  @Override
                  public void onState(ConnectionState state, DetentException error) {
                    say("client", name, "state", state.name(), "error", error == null ? null : error.toString());
                  }
                });
    if (order.containsKey("signOfLifeMs")) config.signOfLifeMs(Json.whole(order, "signOfLifeMs"));
    if (order.containsKey("toolDeadlineMs")) config.toolDeadlineMs(Json.whole(order, "toolDeadlineMs"));
    if (order.containsKey("toolTimeoutMs")) config.toolTimeoutMs(Json.whole(order, "toolTimeoutMs"));
    if (Json.is(order, "hasMainThread"))
      config.executor(
          Executors.newSingleThreadExecutor(
              new ThreadFactory() {
                @Override
                public Thread newThread(Runnable task) {
                  Thread thread = new Thread(task, "main thread of the app");
                  thread.setDaemon(true);
                  return thread;
                }
              }));
    if (Json.is(order, "background")) config.startInBackground();
    clients.put(name, new DetentClient(config));
    List<Object> took = new ArrayList<Object>();
    took.add((System.nanoTime() - since) / 1e6);
    took.add((times.getCurrentThreadCpuTime() - worked) / 1e6);
    return took;
  }

  private static String fetch(String url) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
    connection.setRequestProperty("Connection", "close");
    BufferedReader in = new BufferedReader(new InputStreamReader(connection.getInputStream(), "UTF-8"));
    String token = in.readLine();
    in.close();
    connection.disconnect();
    if (token == null) throw new IOException("the answer broke off");
    return token.isEmpty() ? null : token;
  }

  private static Object engine(DetentClient client, final Map<String, Object> order) {
    final String name = Json.text(order, "engine");
    String session = Json.text(order, "session");
    Agent agent = Agent.builder().name(Json.text(order, "agent")).model("a model").build();
    final Engine engine = session.isEmpty() ? client.createEngine(agent) : client.createEngine(agent, session);
    engines.put(name, engine);
    final boolean approves = Json.is(order, "approves");
    engine.addWireListener(
        new WireListener() {
          @Override
          public void onMessage(WireMessage message) {
            if (ExactStorage.current != null) ExactStorage.current.keep(message);
            if (message instanceof ConfirmRequest || message instanceof QuestionAsked || message instanceof ToolUndecided)
              asked.put(Json.text(message.getPayload(), "callId"), message);
            if (message instanceof ToolUndecided)
              asked.put(message.getRunId() + "/" + Json.text(message.getPayload(), "callId"), message);
            if (approves && message instanceof ConfirmRequest)
              engine.confirm((ConfirmRequest) message, Decision.approve(), null);
            if (!Json.is(order, "isQuiet"))
              say(
                  "engine",
                  name,
                  "class",
                  message.getClass().getSimpleName(),
                  "message",
                  message.toJson(),
                  "thread",
                  Thread.currentThread().getName());
            else if (message instanceof ToolUndecided) say("undecided", message.toJson(), "engine", name);
          }
        });
    return engine.getSessionId();
  }

  private static Object run(Map<String, Object> order) {
    Engine engine = engines.get(Json.text(order, "engine"));
    List<ContentPart> parts = new ArrayList<ContentPart>();
    parts.add(ContentPart.text(Json.text(order, "prompt")));
    if (order.containsKey("attachment")) parts.add(ContentPart.attachment(Json.text(order, "attachment")));
    String key = Json.text(order, "key");
    EngineCallback ending = ending(key.isEmpty() ? Json.text(order, "prompt") : key);
    return key.isEmpty() ? engine.run(parts, ending) : engine.run(parts, key, ending);
  }

  private static EngineCallback ending(final String of) {
    return new EngineCallback() {
      @Override
      public void onComplete() {
        say("end", of, "code", null);
      }

      @Override
      public void onError(Throwable error) {
        say("end", of, "code", ((DetentException) error).getCode(), "message", error.getMessage());
      }
    };
  }

  /** Notes in a file that it begins, and that it has ended. */
  private static final class LoggingTool implements Tool {
    private final Map<String, Object> order;

    LoggingTool(Map<String, Object> order) {
      this.order = order;
    }

    @Override
    public String getName() {
      return Json.text(order, "name");
    }

    @Override
    public String getDescription() {
      return "A tool of the app.";
    }

    @Override
    public ToolSchema getSchema() {
      return new ToolSchema().addOptional("what", "string", "What to do.");
    }

    @Override
    public SideEffect getSideEffect() {
      return SideEffect.valueOf(Json.text(order, "sideEffect"));
    }

    @Override
    public ToolResult execute(String arguments, ToolCall call) throws Exception {
      note("begin " + call.getKey());
      Thread.sleep(Json.whole(order, "ms"));
      String until = Json.text(order, "until");
      while (!until.isEmpty() && !new File(until).exists()) Thread.sleep(5);
      note("end " + call.getKey());
      if (Json.is(order, "fails")) throw new IOException("no camera");
      return ToolResult.success("did " + arguments);
    }

    private synchronized void note(String line) throws IOException {
      FileOutputStream file = new FileOutputStream(Json.text(order, "log"), true);
      file.write((line + " " + getName() + "\n").getBytes("UTF-8"));
      file.close();
    }
  }

  /** What an app does that must show each message once, whenever it is killed: it keeps them in one write with the place in each run. */
  private static final class ExactStorage implements Storage {
    static volatile ExactStorage current;
    private final FileStorage file;
    private final File log;
    private final List<WireMessage> fresh = new ArrayList<WireMessage>();

    ExactStorage(File folder) {
      file = new FileStorage(folder);
      log = new File(folder, "messages");
      current = this;
    }

    synchronized void keep(WireMessage message) {
      if (message.getSeq() > 0) fresh.add(message);
    }

    @Override
    public synchronized String read(String name) throws IOException {
      String text = file.read(name);
      if (text == null) return null;
      Map<String, Object> kept = Json.parseObject(text);
      RandomAccessFile all = new RandomAccessFile(log, "rw");
      all.setLength(Json.whole(kept, "length"));
      all.close();
      return Json.text(kept, "value");
    }

    @Override
    public synchronized void write(String name, String value) throws IOException {
      Map<String, Object> runs = Json.object(Json.parseObject(value), "runs");
      FileOutputStream all = new FileOutputStream(log, true);
      Iterator<WireMessage> left = fresh.iterator();
      while (left.hasNext()) {
        WireMessage one = left.next();
        Map<String, Object> run = Json.object(runs, one.getRunId());
        if (!run.isEmpty() && one.getSeq() > Json.whole(run, "seq")) continue;
        all.write((one + "\n").getBytes("UTF-8"));
        left.remove();
      }
      all.close();
      Map<String, Object> kept = new LinkedHashMap<String, Object>();
      kept.put("length", log.length());
      kept.put("value", value);
      file.write(name, Json.write(kept));
    }
  }
}
