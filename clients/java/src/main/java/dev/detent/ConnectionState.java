package dev.detent;

/** What an app shows of the connection. */
public enum ConnectionState {
  /** Nothing was asked yet. */
  IDLE,
  /** The last request was answered. */
  ONLINE,
  /** The gateway cannot be reached. The client tries again by itself. */
  OFFLINE,
  /** The gateway takes no token that the provider gives. {@link DetentClient#foreground} tries again, after a new login. */
  UNAUTHORIZED,
  /** {@link DetentClient#background} was called. */
  BACKGROUND,
  /** {@link DetentClient#shutdown} was called. */
  CLOSED
}
