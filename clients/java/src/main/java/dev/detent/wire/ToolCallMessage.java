package dev.detent.wire;

import java.util.Map;

/** The model calls a tool, of the gateway or of the app. */
public final class ToolCallMessage extends WireMessage {
  public ToolCallMessage(Map<String, Object> event) {
    super(event);
  }

  public String getToolCallId() {
    return text("callId");
  }

  public String getToolName() {
    return text("name");
  }

  /** JSON, as the model wrote it. */
  public String getArguments() {
    return text("arguments");
  }
}
