package dev.detent;

import java.util.Collections;
import java.util.Map;

/**
 * The one error of the client. {@link #getCode} is the gateway's ({@code NOT_FOUND}, {@code BUDGET_EXCEEDED}) or one of the client's own:
 *
 * <ul>
 *   <li>{@code UNREACHABLE}: the gateway gave no answer
 *   <li>{@code UNAUTHORIZED}: the token provider gave no token that the gateway takes
 *   <li>{@code CANCELLED}: the run was cancelled
 *   <li>{@code DECIDED_BEFORE}: another decision, or answer, came first
 *   <li>{@code CLOSED}: the engine or the client was shut down, or the user logged out
 * </ul>
 */
public final class DetentException extends Exception {
  private static final long serialVersionUID = 1;
  private final String code;
  private final boolean isRetryable;
  private final transient Map<String, Object> details;

  public DetentException(String code, String message) {
    this(code, message, false, null);
  }

  public DetentException(String code, String message, boolean isRetryable, Map<String, Object> details) {
    super(message);
    this.code = code;
    this.isRetryable = isRetryable;
    this.details = details;
  }

  /** What a program decides by. */
  public String getCode() {
    return code;
  }

  /** Whether the same request may succeed later without any change. */
  public boolean isRetryable() {
    return isRetryable;
  }

  public Map<String, Object> getDetails() {
    return details == null ? Collections.<String, Object>emptyMap() : details;
  }

  @Override
  public String toString() {
    return code + ": " + getMessage();
  }
}
