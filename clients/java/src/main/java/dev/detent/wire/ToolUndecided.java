package dev.detent.wire;

import java.util.Map;

/**
 * The app was killed while it performed an unsafe tool: ask the user whether it was done, and give what the model shall read to
 * {@code Engine.resolve}. The client does not perform it again.
 */
public final class ToolUndecided extends WireMessage {
  public ToolUndecided(Map<String, Object> event) {
    super(event);
  }

  public String getToolCallId() {
    return text("callId");
  }

  public String getToolName() {
    return text("name");
  }

  /** JSON. */
  public String getArguments() {
    return text("arguments");
  }
}
