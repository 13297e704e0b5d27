package dev.detent.wire;

import java.util.Map;

/** The model calls a tool of an app. The client performs it if it was registered. */
public final class ToolRequest extends WireMessage {
  public ToolRequest(Map<String, Object> event) {
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

  public String getHash() {
    return text("argumentsHash");
  }
}
