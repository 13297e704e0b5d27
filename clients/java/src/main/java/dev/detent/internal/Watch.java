package dev.detent.internal;

import dev.detent.DetentException;
import dev.detent.Json;
import dev.detent.wire.ConfirmRequest;
import dev.detent.wire.QuestionAsked;
import dev.detent.wire.Resolved;
import dev.detent.wire.RunEnd;
import dev.detent.wire.WireMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/** Reads the events of one run, over any number of connections, and hands each on once. */
final class Watch implements Runnable {
  private final Life life;
  final String runId;
  private final String session;
  /** Whether there are listeners: else it only performs tools, and the place in the run stays. */
  final boolean isDelivering;
  private final EventOrder order;
  /** These belong to the thread of the state. */
  private final Set<String> asked = new HashSet<String>();
  private boolean isRunning;
  private boolean isOver;
  private volatile boolean isStopped;
  /** Whether a tool may have asked for a person. */
  private boolean hasCalled;
  /** Attempts since something new came. */
  private int fails;

  /** @param session whose listeners get it; null if there are none */
  Watch(Life life, String runId, String session, long afterSeq) {
    this.life = life;
    this.runId = runId;
    this.session = session;
    isDelivering = session != null;
    order = new EventOrder(afterSeq);
    hasCalled = afterSeq > 0;
  }

  /** Where the state belongs. */
  void start() {
    if (isRunning || isOver || isStopped || !life.isActive()) return;
    isRunning = true;
    life.threads.spawn(this);
  }

  @Override
  public void run() {
    try {
      stopped(read(), null);
    } catch (DetentException error) {
      stopped(false, error);
    } catch (InterruptedException ended) {
      // The client ends.
    }
  }

  /** Whether the listeners were told of something that waits for a person. */
  boolean asks() {
    return !asked.isEmpty();
  }

  /** Hands nothing on any more. */
  void stop() {
    isStopped = true;
  }

  private void stopped(final boolean isEnd, final DetentException error) {
    life.threads.act(
        new Runnable() {
          @Override
          public void run() {
            isRunning = false;
            if (error != null && error.getCode().equals("UNAUTHORIZED")) life.halt(error);
            else if (isEnd || error != null) {
              isOver = true;
              life.watchEnded(runId, Watch.this, error);
            } else start();
          }
        });
  }

  /**
   * @return whether the run is over; false when the client went to the background
   * @throws DetentException what will not change: the run is gone, or nobody is logged in
   */
  private boolean read() throws DetentException, InterruptedException {
    while (life.isActive() && !isStopped) {
      EventStream stream = null;
      try {
        stream = life.transport.events(runId, order.wholeSeq());
        life.note(null);
        if (stream == null) return true;
        for (Map<String, Object> event = stream.next(); event != null; event = stream.next()) {
          if (isStopped) return false;
          if (take(event)) return true;
        }
        // The gateway closes it at its own end.
        life.rest(++fails);
      } catch (DetentException error) {
        if (!error.isRetryable()) throw error;
        life.note(error);
        life.rest(++fails);
      } finally {
        if (stream != null) stream.close();
      }
    }
    return false;
  }

  /** Where the state belongs: a message that is about to be handed on. */
  void note(WireMessage message) {
    String callId = Json.text(message.getPayload(), "callId");
    if (message instanceof ConfirmRequest || message instanceof QuestionAsked) asked.add(callId);
    else if (message instanceof Resolved) asked.remove(callId);
  }

  /** Before an event is handed on: runs that the conversation goes on in are kept before the end of this one is. */
  private void follow(Map<String, Object> event) throws DetentException, InterruptedException {
    String name = Json.text(event, "event");
    String takeover = Json.text(Json.object(event, "payload"), "runId");
    boolean isChange = name.equals("takeover.changed");
    hasCalled |= name.equals("tool.result");
    if (isChange && !takeover.equals(runId)) life.follow(session, takeover);
    else if (isChange ? Json.text(Json.object(event, "payload"), "state").equals("over") : hasCalled && name.equals("lifecycle.end"))
      life.followAll(session, runId);
  }

  /** @return whether it was the last event of the run */
  private boolean take(final Map<String, Object> event) throws DetentException, InterruptedException {
    if (isDelivering) follow(event);
    List<WireMessage> messages = new ArrayList<WireMessage>();
    for (Map<String, Object> one : order.take(event)) messages.add(WireMessage.of(one));
    if (messages.isEmpty()) return false;
    fails = 0;
    final WireMessage last = messages.get(messages.size() - 1);
    final boolean isEnd = last instanceof RunEnd;
    final boolean isWhole = Json.is(event, "last");
    Telling telling = life.saw(this, messages);
    if (!isDelivering) return isEnd;
    life.tell(telling);
    if (!isWhole && !isEnd) return false;
    life.threads.ask(
        new Callable<Void>() {
          @Override
          public Void call() {
            if (!isStopped) life.passed(runId, last.getSeq(), isEnd ? (RunEnd) last : null);
            return null;
          }
        });
    return isEnd;
  }
}
