package dev.detent;

/** Told when the connection to the gateway changes. */
public interface StateListener {
  /** @param error why, or null */
  void onState(ConnectionState state, DetentException error);
}
