package dev.detent.internal;

import dev.detent.wire.WireMessage;
import java.util.List;

/** Messages for the listeners of a conversation, and for those who wait for one run. */
final class Telling implements Runnable {
  private final Iterable<EngineImpl> engines;
  private final String session;
  private final List<RunSink> sinks;
  private final List<WireMessage> messages;

  Telling(Iterable<EngineImpl> engines, String session, List<RunSink> sinks, List<WireMessage> messages) {
    this.engines = engines;
    this.session = session;
    this.sinks = sinks;
    this.messages = messages;
  }

  @Override
  public void run() {
    for (WireMessage message : messages) {
      for (EngineImpl engine : engines) if (engine.getSessionId().equals(session)) engine.tell(message);
      for (RunSink sink : sinks) sink.onMessage(message);
    }
  }
}
