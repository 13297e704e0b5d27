package dev.detent.wire;

import dev.detent.Json;
import java.util.Map;

/** What a tool gave. */
public final class ToolResultMessage extends WireMessage {
  public ToolResultMessage(Map<String, Object> event) {
    super(event);
  }

  public String getToolCallId() {
    return text("callId");
  }

  public String getToolName() {
    return text("name");
  }

  public boolean isError() {
    return Json.is(getPayload(), "isError");
  }

  /** What the model reads. */
  public String getResult() {
    return text("content");
  }

  /** What the tool gave for screens, such as products to show as cards; empty if it gave nothing. */
  public Map<String, Object> getData() {
    return Json.object(getPayload(), "data");
  }
}
