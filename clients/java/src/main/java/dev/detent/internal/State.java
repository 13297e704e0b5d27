package dev.detent.internal;

import dev.detent.Json;
import dev.detent.Storage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What survives the process, as one value that is written whole: the queue, the place in each run, and the journal of tools. Belongs to the
 * thread of the state.
 */
final class State {
  static final String NAME = "detent.json";
  /** The oldest are forgotten beyond. */
  private static final int MAX_ENDED = 400;
  private static final int MAX_RUNS = 500;
  private final Storage storage;
  private final String owner;
  private String installation = UUID.randomUUID().toString();
  /** By key: what the gateway has not answered yet, in order. */
  final Map<String, Map<String, Object>> sends = new LinkedHashMap<String, Map<String, Object>>();
  /** By run: {@code session}, {@code key} and {@code seq}, of runs that have not ended for their listeners. */
  final Map<String, Map<String, Object>> runs = new LinkedHashMap<String, Map<String, Object>>();
  /** By run and call: calls of tools of the app, until they are resolved. */
  final Map<String, Map<String, Object>> tools = new LinkedHashMap<String, Map<String, Object>>();
  /** By the app's id of a conversation: the gateway's. Any thread may read it. */
  final Map<String, Object> sessions = Collections.synchronizedMap(new LinkedHashMap<String, Object>());
  /** Keys and ids of runs that have ended. */
  private final List<String> ended = new ArrayList<String>();

  /** @param owner whose it is: what another one left is deleted */
  State(Storage storage, String owner) {
    this.storage = storage;
    this.owner = owner;
  }

  String installation() {
    return installation;
  }

  void load() throws IOException {
    String text = storage.read(NAME);
    if (text == null) return;
    Map<String, Object> kept;
    try {
      kept = Json.parseObject(text);
    } catch (IllegalArgumentException damaged) {
      throw new IOException("what was kept cannot be read: " + damaged.getMessage());
    }
    if (!Json.text(kept, "owner").equals(owner)) {
      storage.write(NAME, null);
      return;
    }
    installation = Json.text(kept, "installation");
    for (Map<String, Object> send : Json.objects(kept, "sends"))
      if (!sends.containsKey(Json.text(send, "key"))) sends.put(Json.text(send, "key"), send);
    copy(kept, "runs", runs);
    copy(kept, "tools", tools);
    for (Map<String, Object> call : tools.values())
      if (Json.text(call, "status").equals("elsewhere")) call.put("status", "asked");
    sessions.putAll(Json.object(kept, "sessions"));
    ended.addAll(Json.texts(kept, "ended"));
  }

  @SuppressWarnings("unchecked")
  private static void copy(Map<String, Object> from, String name, Map<String, Map<String, Object>> to) {
    for (Map.Entry<String, Object> one : Json.object(from, name).entrySet())
      if (one.getValue() instanceof Map) to.put(one.getKey(), (Map<String, Object>) one.getValue());
  }

  void save() throws IOException {
    Map<String, Object> kept = new LinkedHashMap<String, Object>();
    kept.put("owner", owner);
    kept.put("installation", installation);
    kept.put("sends", new ArrayList<Object>(sends.values()));
    kept.put("runs", runs);
    kept.put("tools", tools);
    kept.put("sessions", sessions);
    kept.put("ended", ended);
    storage.write(NAME, Json.write(kept));
  }

  void began(String runId, String session, String key) {
    if (runs.containsKey(runId)) return;
    Map<String, Object> run = new LinkedHashMap<String, Object>();
    run.put("session", session);
    run.put("key", key);
    run.put("seq", 0L);
    runs.put(runId, run);
    shorten(runs.keySet().iterator(), runs.size(), MAX_RUNS);
  }

  /** The run has ended, and its listeners know. */
  void ended(String runId) {
    Map<String, Object> run = runs.remove(runId);
    if (run != null) {
      ended.add(Json.text(run, "key"));
      ended.add(runId);
    }
    shorten(ended.iterator(), ended.size(), MAX_ENDED);
    shorten(sessions.keySet().iterator(), sessions.size(), MAX_RUNS);
    Iterator<String> calls = tools.keySet().iterator();
    while (calls.hasNext()) if (calls.next().startsWith(runId + "/")) calls.remove();
  }

  /** @param key or id of a run */
  boolean hasEnded(String key) {
    return ended.contains(key);
  }

  /** The run that a key has started; null if it is not known. */
  String runOf(String key) {
    for (Map.Entry<String, Map<String, Object>> run : runs.entrySet())
      if (Json.text(run.getValue(), "key").equals(key)) return run.getKey();
    return null;
  }

  private static void shorten(Iterator<?> oldest, int size, int max) {
    for (; size > max && oldest.hasNext(); size--) {
      oldest.next();
      oldest.remove();
    }
  }
}
