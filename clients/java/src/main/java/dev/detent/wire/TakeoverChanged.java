package dev.detent.wire;

import java.util.Map;

/**
 * A person of the shop was asked for, has come, or has given the conversation back to its agent: show who speaks. The messages of the person,
 * and of the agent afterwards, come to the same listeners.
 */
public final class TakeoverChanged extends WireMessage {
  public TakeoverChanged(Map<String, Object> event) {
    super(event);
  }

  /** {@code waiting} for a person, {@code taken} by one, or {@code over}: given back. */
  public String getState() {
    return text("state");
  }

  /** The run that has the words of the person. */
  public String getTakeoverRunId() {
    return text("runId");
  }
}
