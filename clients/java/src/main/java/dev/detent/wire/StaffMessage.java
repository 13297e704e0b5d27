package dev.detent.wire;

import java.util.Map;

/** A person of the shop says it, in place of the agent. */
public final class StaffMessage extends WireMessage {
  public StaffMessage(Map<String, Object> event) {
    super(event);
  }

  public String getContent() {
    return text("content");
  }

  /** The name that users may know; {@code ""} if the shop gives none. */
  public String getAuthor() {
    return text("name");
  }
}
