package dev.detent.wire;

import dev.detent.Json;
import java.util.List;
import java.util.Map;

/** The agent asks the user: give the answer to {@code Engine.answer}. */
public final class QuestionAsked extends WireMessage {
  public QuestionAsked(Map<String, Object> event) {
    super(event);
  }

  public String getToolCallId() {
    return text("callId");
  }

  public String getHash() {
    return text("argumentsHash");
  }

  public String getQuestion() {
    return Json.text(question(), "text");
  }

  /** To choose from; empty for free words. */
  public List<String> getOptions() {
    return Json.texts(question(), "options");
  }

  /** Whether several options may be chosen. */
  public boolean isMultiple() {
    return Json.is(question(), "multiple");
  }

  /** The fields of a form: {@code name}, {@code type}, {@code title}, {@code options} and more; empty if it is none. */
  public List<Map<String, Object>> getFields() {
    return Json.objects(question(), "fields");
  }

  private Map<String, Object> question() {
    return Json.object(getPayload(), "question");
  }
}
