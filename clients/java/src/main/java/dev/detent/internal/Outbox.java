package dev.detent.internal;

import dev.detent.DetentException;
import dev.detent.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What changes something at the gateway, in order: kept under its key until the gateway has answered, over any number of connections and
 * lives of the app. Belongs to the thread of the state.
 */
final class Outbox implements Runnable {
  private static final int MAX_AT_ONCE = 8;
  private final Life life;
  private final Set<String> busy = new HashSet<String>();
  private final Map<String, Integer> fails = new HashMap<String, Integer>();
  private final Map<String, Long> notBefore = new HashMap<String, Long>();
  private final Map<String, RunSink> sinks = new HashMap<String, RunSink>();

  Outbox(Life life) {
    this.life = life;
  }

  /**
   * @param lane requests of one lane go one after the other
   * @param kind {@code run}, {@code clear}, {@code decide} or {@code result}
   * @param session of a run or a clear, else ""
   * @param sink told when the run has ended, or the rest is answered; may be null
   */
  void add(String key, String kind, String lane, String session, String path, Map<String, Object> body, RunSink sink) {
    Map<String, Map<String, Object>> sends = life.state.sends;
    if (sends.size() >= life.config.getMaxQueued() && !sends.containsKey(key)) {
      life.end(sink, new DetentException("QUEUE_FULL", sends.size() + " sends wait for the gateway", true, null));
      return;
    }
    if (sink != null) sinks.put(key, sink);
    if (sends.containsKey(key)) return;
    Map<String, Object> send = new LinkedHashMap<String, Object>();
    send.put("key", key);
    send.put("kind", kind);
    send.put("lane", lane);
    send.put("session", session);
    send.put("path", path);
    send.put("body", Json.write(body));
    sends.put(key, send);
    life.save();
    run();
  }

  /** Sends what may go now. */
  @Override
  public void run() {
    if (!life.isActive() || !life.isLoaded()) return;
    Set<String> seen = new HashSet<String>();
    for (Map<String, Object> send : new ArrayList<Map<String, Object>>(life.state.sends.values())) {
      String lane = Json.text(send, "lane");
      if (!seen.add(lane) || busy.size() >= MAX_AT_ONCE || isHeld(lane) || !busy.add(lane)) continue;
      life.threads.spawn(new Sending(send));
    }
  }

  private boolean isHeld(String lane) {
    Long until = notBefore.get(lane);
    return until != null && System.nanoTime() - until < 0;
  }

  /** Tries all again at once. */
  void hurry() {
    notBefore.clear();
    run();
  }

  /** One attempt: first on a thread for the network, then where the state belongs. */
  private final class Sending implements Runnable {
    private final Map<String, Object> send;
    private Map<String, Object> answer;
    private DetentException error;
    private boolean isTried;

    Sending(Map<String, Object> send) {
      this.send = send;
    }

    @Override
    public void run() {
      if (isTried) {
        settle(send, answer, error);
        return;
      }
      isTried = true;
      try {
        String path = life.pathOf(send);
        answer = new LinkedHashMap<String, Object>();
        if (path != null) answer = life.transport.post(path, Json.text(send, "key"), Json.text(send, "body"));
      } catch (DetentException failed) {
        error = failed;
      } catch (InterruptedException ended) {
        return;
      }
      life.threads.act(this);
    }
  }

  private void settle(Map<String, Object> send, Map<String, Object> answer, DetentException error) {
    String lane = Json.text(send, "lane");
    busy.remove(lane);
    if (error != null && error.isRetryable()) {
      life.note(error);
      int tries = (fails.containsKey(lane) ? fails.get(lane) : 0) + 1;
      fails.put(lane, tries);
      long wait = Math.max(life.waitMs(tries), Json.whole(error.getDetails(), "retryAfterMs"));
      notBefore.put(lane, System.nanoTime() + wait * 1000000);
      life.threads.later(this, wait + 1);
      return;
    }
    fails.remove(lane);
    notBefore.remove(lane);
    if (error != null && error.getCode().equals("UNAUTHORIZED")) {
      // Nobody is logged in: it is kept for the user's next login.
      life.halt(error);
      return;
    }
    life.note(null);
    String key = Json.text(send, "key");
    life.state.sends.remove(key);
    RunSink sink = sinks.remove(key);
    if (error == null && Json.text(send, "kind").equals("run")) life.began(send, answer, sink);
    else {
      life.save();
      boolean isBeaten = error == null && Boolean.FALSE.equals(answer.get("stands"));
      String words = isBeaten ? "another decision came first: " + answer.get("verdict") : "";
      life.end(sink, isBeaten ? new DetentException("DECIDED_BEFORE", words, false, answer) : error);
    }
    run();
  }
}
