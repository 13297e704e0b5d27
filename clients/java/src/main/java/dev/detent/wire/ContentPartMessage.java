package dev.detent.wire;

import dev.detent.Json;
import java.util.Map;

/**
 * A piece of an answer. An app that appends the pieces, and empties the text at a {@link ContentReset}, shows the answer as it stands. The
 * pieces of each answer come whole, also when the model does not stream or the connection broke: behind the last one is an
 * {@link AnswerMessage}.
 */
public final class ContentPartMessage extends WireMessage {
  public ContentPartMessage(Map<String, Object> event) {
    super(event);
  }

  public String getContent() {
    return text("content");
  }

  /** {@code text}, {@code refusal} or {@code reasoning}. */
  public String getContentType() {
    return getType().equals("assistant.reasoning") ? "reasoning" : text("contentType");
  }

  /** The model call: pieces of one answer have the same. */
  public long getEffectId() {
    return Json.whole(getPayload(), "effectId");
  }
}
