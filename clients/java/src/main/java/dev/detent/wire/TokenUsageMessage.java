package dev.detent.wire;

import dev.detent.Json;
import java.util.Map;

/** What the run has used so far. Customers are not told: for them it is empty. */
public final class TokenUsageMessage extends WireMessage {
  public TokenUsageMessage(Map<String, Object> event) {
    super(event);
  }

  /** {@code inputTokens}, {@code outputTokens} and {@code costUsd} of the run so far. */
  public Map<String, Object> getUsage() {
    return Json.object(getPayload(), "total");
  }
}
