package dev.detent.internal;

import dev.detent.EngineCallback;
import dev.detent.wire.WireMessage;

/** Tells a callback the end alone. */
final class Ending implements RunSink {
  private final EngineCallback callback;

  private Ending(EngineCallback callback) {
    this.callback = callback;
  }

  static RunSink of(EngineCallback callback) {
    return callback == null ? null : new Ending(callback);
  }

  @Override
  public void onMessage(WireMessage message) {}

  @Override
  public void onEnd(Throwable error) {
    if (error == null) callback.onComplete();
    else callback.onError(error);
  }
}
