package dev.detent.wire;

import java.util.Map;

/** A person must decide on a call: show it, and give the decision to {@code Engine.confirm}. */
public final class ConfirmRequest extends WireMessage {
  public ConfirmRequest(Map<String, Object> event) {
    super(event);
  }

  public String getToolCallId() {
    return text("callId");
  }

  public String getToolName() {
    return text("name");
  }

  /** JSON. */
  public String getArguments() {
    return text("arguments");
  }

  /** What the call would change, for people; {@code ""} if the tool has none. */
  public String getPreview() {
    return text("preview");
  }

  /** Goes back with the decision: it counts for nothing but what this person saw. */
  public String getHash() {
    return text("argumentsHash");
  }

  /** {@code user} or {@code staff}; {@code ""} if anyone decides who may approve. */
  public String getDecides() {
    return text("decides");
  }

  /** {@code confirm}; {@code reconcile} asks whether a call was done that a crash cut off. */
  public String getKind() {
    return text("kind");
  }
}
