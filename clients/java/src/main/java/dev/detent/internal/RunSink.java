package dev.detent.internal;

import dev.detent.wire.WireMessage;

/** What one caller wants of a run. */
interface RunSink {
  void onMessage(WireMessage message);

  /** @param error null when it went well */
  void onEnd(Throwable error);
}
