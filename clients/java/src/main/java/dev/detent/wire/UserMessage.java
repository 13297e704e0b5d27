package dev.detent.wire;

import java.util.Map;

/** What the run was asked, and what was said while it ran; also by staff of the shop, if it has an author. */
public final class UserMessage extends WireMessage {
  public UserMessage(Map<String, Object> event) {
    super(event);
  }

  public String getContent() {
    return text("content");
  }
}
