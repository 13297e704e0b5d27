package dev.detent;

/** What may happen when a tool of the app is performed a second time. */
public enum SideEffect {
  /** It only looks. It runs again after the app was killed. */
  READONLY,
  /** A second time changes nothing more. It runs again after the app was killed. */
  IDEMPOTENT,
  /** A second time would do it twice. After the app was killed, the user says whether it was done. */
  UNSAFE
}
