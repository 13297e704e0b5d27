package dev.detent.wire;

import java.util.Map;

/** What the run was asked, and what its user said while it ran. */
public final class UserMessage extends WireMessage {
  public UserMessage(Map<String, Object> event) {
    super(event);
  }

  public String getContent() {
    return text("content");
  }
}
