package dev.detent;

import dev.detent.wire.WireMessage;

/** Gets the messages of all runs of an engine, each once and in order, on the executor of the client. */
public interface WireListener {
  void onMessage(WireMessage message);
}
