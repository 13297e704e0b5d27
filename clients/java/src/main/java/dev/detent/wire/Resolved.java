package dev.detent.wire;

import java.util.Map;

/** A call or a question that waited is decided, here or elsewhere: close what asks about it. */
public final class Resolved extends WireMessage {
  public Resolved(Map<String, Object> event) {
    super(event);
  }

  public String getToolCallId() {
    return text("callId");
  }

  /** {@code approve}, {@code reject}, {@code result} and others. */
  public String getVerdict() {
    return text("verdict");
  }

  /** Who decided, if the app may know; else {@code ""}. */
  public String getBy() {
    return text("by");
  }
}
