package dev.detent.wire;

import dev.detent.Json;
import java.util.Map;

/** The run has ended. */
public final class RunEnd extends WireMessage {
  public RunEnd(Map<String, Object> event) {
    super(event);
  }

  /** {@code done}, {@code failed} or {@code cancelled}. */
  public String getStatus() {
    return text("status");
  }

  /** The last answer. */
  public String getContent() {
    return text("content");
  }

  /** {@code ""} if it did not fail. */
  public String getErrorCode() {
    return Json.text(Json.object(getPayload(), "error"), "code");
  }

  /** A sentence that the app may show. */
  public String getError() {
    return Json.text(Json.object(getPayload(), "error"), "message");
  }
}
