package dev.detent.wire;

import dev.detent.Json;
import java.util.Map;

/** All pieces of an answer are taken back: its model is asked again. */
public final class ContentReset extends WireMessage {
  public ContentReset(Map<String, Object> event) {
    super(event);
  }

  /** The model call whose pieces these were. */
  public long getEffectId() {
    return Json.whole(getPayload(), "effectId");
  }
}
