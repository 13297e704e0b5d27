package dev.detent.wire;

import dev.detent.Json;
import java.util.Map;

/** A whole answer of the model, in place of its pieces. */
public final class AnswerMessage extends WireMessage {
  public AnswerMessage(Map<String, Object> event) {
    super(event);
  }

  public String getContent() {
    return text("content");
  }

  public String getRefusal() {
    return text("refusal");
  }

  /** The model call. */
  public long getEffectId() {
    return Json.whole(getPayload(), "effectId");
  }
}
