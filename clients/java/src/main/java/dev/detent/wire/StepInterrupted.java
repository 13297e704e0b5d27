package dev.detent.wire;

import dev.detent.Json;
import java.util.Map;

/** An answer broke off. */
public final class StepInterrupted extends WireMessage {
  public StepInterrupted(Map<String, Object> event) {
    super(event);
  }

  public int getStepNo() {
    return (int) Json.whole(getPayload(), "stepNo");
  }

  /** Whether the model is asked again. */
  public boolean isAskedAgain() {
    return Json.is(getPayload(), "isAskedAgain");
  }

  /** A sentence that the app may show. */
  public String getError() {
    return Json.text(Json.object(getPayload(), "error"), "message");
  }
}
