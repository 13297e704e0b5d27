package dev.detent;

/** Gets what comes of one run, and how it ended. */
public interface StreamCallback<T> {
  void onNext(T chunk);

  void onComplete();

  /** @param error a {@link DetentException}, whose code says what happened */
  void onError(Throwable error);
}
