package dev.detent;

/** Told how something ended, once: a run, or a decision on its way to the gateway. */
public interface EngineCallback {
  void onComplete();

  /** @param error a {@link DetentException}, whose code says what happened */
  void onError(Throwable error);
}
