package dev.detent.wire;

import dev.detent.Json;
import java.util.Map;

/** A model is asked. */
public final class StepBegin extends WireMessage {
  public StepBegin(Map<String, Object> event) {
    super(event);
  }

  /** From 1. */
  public int getStepNo() {
    return (int) Json.whole(getPayload(), "stepNo");
  }

  public boolean isSubagent() {
    return Json.is(getPayload(), "isSubagent");
  }

  public String getAgentName() {
    return text("agentName");
  }
}
