package dev.detent.wire;

import dev.detent.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One event of a run. What the client has a class for is one of that class; an event of a newer gateway is a plain {@code WireMessage}, whose
 * {@link #getType} and {@link #getPayload} have all of it.
 */
public class WireMessage {
  private final String type;
  private final String runId;
  private final long seq;
  private final int index;
  private final long at;
  private final Map<String, Object> payload;

  /** @param event as the event stream has it */
  public WireMessage(Map<String, Object> event) {
    type = Json.text(event, "event");
    runId = Json.text(event, "runId");
    seq = Json.whole(event, "seq");
    index = (int) Json.whole(event, "index");
    at = Json.whole(event, "at");
    payload = Json.object(event, "payload");
  }

  /** The name of the event, such as {@code tool.call}. */
  public String getType() {
    return type;
  }

  public String getRunId() {
    return runId;
  }

  /** The transition of the run; 0 for pieces of an answer, which are not stored. */
  public long getSeq() {
    return seq;
  }

  /** The place among the events of the transition. */
  public int getIndex() {
    return index;
  }

  /** Milliseconds since 1970, by the clock of the gateway; 0 for pieces of an answer. */
  public long getAt() {
    return at;
  }

  /** All fields of the event, also those that the client has no method for. */
  public Map<String, Object> getPayload() {
    return payload;
  }

  final String text(String name) {
    return Json.text(payload, name);
  }

  /** As the event stream has it. */
  public Map<String, Object> toJson() {
    Map<String, Object> event = new LinkedHashMap<String, Object>();
    event.put("event", type);
    event.put("runId", runId);
    event.put("seq", seq);
    event.put("index", index);
    event.put("at", at);
    event.put("payload", payload);
    return event;
  }

  @Override
  public String toString() {
    return Json.write(toJson());
  }

  /** The message of an event, in the class that the client has for it. */
  public static WireMessage of(Map<String, Object> event) {
    String type = Json.text(event, "event");
    if (type.equals("step.begin")) return new StepBegin(event);
    if (type.equals("assistant.delta") || type.equals("assistant.reasoning")) return new ContentPartMessage(event);
    if (type.equals("assistant.reset")) return new ContentReset(event);
    if (type.equals("assistant.message")) return new AnswerMessage(event);
    if (type.equals("user.message")) return new UserMessage(event);
    if (type.equals("staff.message")) return new StaffMessage(event);
    if (type.equals("takeover.changed")) return new TakeoverChanged(event);
    if (type.equals("tool.call")) return new ToolCallMessage(event);
    if (type.equals("tool.result")) return new ToolResultMessage(event);
    if (type.equals("step.interrupted")) return new StepInterrupted(event);
    if (type.equals("usage")) return new TokenUsageMessage(event);
    if (type.equals("tool.confirm_request")) return new ConfirmRequest(event);
    if (type.equals("question.asked")) return new QuestionAsked(event);
    if (type.equals("tool.client_request")) return new ToolRequest(event);
    if (type.equals("tool.undecided")) return new ToolUndecided(event);
    if (type.equals("tool.confirm_resolved") || type.equals("tool.client_resolved") || type.equals("question.answered"))
      return new Resolved(event);
    if (type.equals("lifecycle.end") || type.equals("lifecycle.error")) return new RunEnd(event);
    return new WireMessage(event);
  }
}
