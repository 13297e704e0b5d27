package dev.detent.internal;

import dev.detent.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the pieces of answers whole for one reader: each character comes once and in order, before {@code assistant.message}, or
 * {@code assistant.reset} takes them back. An answer of which no piece came is given as one.
 */
final class Pieces {
  private static final List<String> KINDS = Arrays.asList("reasoning", "text", "refusal");
  private Answer answer;
  /** The newest model call that is over: its pieces may still be on their way. */
  private long over;

  private static final class Answer {
    final String runId;
    final long effectId;
    final long attempt;
    final Map<String, StringBuilder> parts = new LinkedHashMap<String, StringBuilder>();
    /** Of a part whose beginning was lost: the reader has none of it. */
    boolean isBroken;
    /** Whether it was taken back. */
    boolean isOver;

    Answer(String runId, long effectId, long attempt) {
      this.runId = runId;
      this.effectId = effectId;
      this.attempt = attempt;
      for (String kind : KINDS) parts.put(kind, new StringBuilder());
    }

    boolean isEmpty() {
      for (StringBuilder part : parts.values()) if (part.length() > 0) return false;
      return true;
    }
  }

  /** What the reader gets of a piece. */
  List<Map<String, Object>> take(Map<String, Object> event) {
    Map<String, Object> payload = Json.object(event, "payload");
    String name = Json.text(event, "event");
    boolean isReset = name.equals("assistant.reset");
    if (!isReset && !name.equals("assistant.delta") && !name.equals("assistant.reasoning"))
      return Collections.singletonList(event);
    long effectId = Json.whole(payload, "effectId");
    long attempt = Json.whole(payload, "attempt");
    Answer had = answer;
    long order = had == null ? 1 : effectId != had.effectId ? effectId - had.effectId : attempt - had.attempt;
    if (effectId <= over || order < 0) return Collections.emptyList();
    List<Map<String, Object>> got = new ArrayList<Map<String, Object>>();
    if (order > 0 || isReset) withdraw(had, got);
    if (order > 0) answer = new Answer(Json.text(event, "runId"), effectId, attempt);
    if (isReset) answer.isOver = true;
    else if (!answer.isOver) join(name, payload, got);
    return got;
  }

  /** What the reader gets of the pieces before an event of the log. */
  List<Map<String, Object>> before(Map<String, Object> event) {
    Map<String, Object> payload = Json.object(event, "payload");
    String name = Json.text(event, "event");
    boolean isMessage = name.equals("assistant.message");
    if (!isMessage && !(name.equals("step.interrupted") && Json.is(payload, "isAskedAgain")))
      return Collections.emptyList();
    List<Map<String, Object>> got = new ArrayList<Map<String, Object>>();
    long effectId = Json.whole(payload, "effectId");
    over = Math.max(over, effectId);
    Answer had = answer;
    if (had != null && had.effectId > effectId) return got;
    if (isMessage) complete(Json.text(event, "runId"), effectId, payload, got);
    else withdraw(had, got);
    return got;
  }

  private void withdraw(Answer had, List<Map<String, Object>> got) {
    if (had == null || had.isOver) return;
    had.isOver = true;
    if (had.isEmpty() || had.isBroken) return;
    Map<String, Object> payload = new LinkedHashMap<String, Object>();
    payload.put("effectId", had.effectId);
    payload.put("attempt", had.attempt);
    got.add(event("assistant.reset", had.runId, payload));
  }

  private void join(String name, Map<String, Object> payload, List<Map<String, Object>> got) {
    String kind = name.equals("assistant.reasoning") ? "reasoning" : Json.text(payload, "contentType");
    StringBuilder part = answer.parts.get(kind);
    if (part == null || answer.isBroken) return;
    int offset = (int) Json.whole(payload, "offset");
    if (offset > part.length()) {
      // Pieces between were lost on their way to the gateway: the reader gets the whole answer at its end.
      Answer had = answer;
      withdraw(had, got);
      answer = new Answer(had.runId, had.effectId, had.attempt);
      answer.isBroken = true;
      return;
    }
    String content = Json.text(payload, "content");
    int skip = part.length() - offset;
    if (skip >= content.length()) return;
    int from = part.length();
    part.append(content, skip, content.length());
    got.add(piece(answer.runId, answer.effectId, answer.attempt, kind, from, content.substring(skip)));
  }

  /** The rest of an answer whose pieces the reader has in part, or not at all. */
  private void complete(String runId, long effectId, Map<String, Object> payload, List<Map<String, Object>> got) {
    Answer had = answer;
    if (had != null && had.effectId != effectId) {
      withdraw(had, got);
      had = null;
    }
    if (had == null || had.isOver || had.isBroken) had = new Answer(runId, effectId, had == null ? 1 : had.attempt);
    List<String> whole =
        Arrays.asList(Json.text(payload, "reasoning"), Json.text(payload, "content"), Json.text(payload, "refusal"));
    boolean joins = true;
    for (int i = 0; i < 3; i++) joins &= whole.get(i).startsWith(had.parts.get(KINDS.get(i)).toString());
    if (!joins) withdraw(had, got);
    for (int i = 0; i < 3; i++) {
      int from = joins ? had.parts.get(KINDS.get(i)).length() : 0;
      String rest = whole.get(i).substring(from);
      if (!rest.isEmpty()) got.add(piece(runId, effectId, had.attempt, KINDS.get(i), from, rest));
    }
    answer = had;
    had.isOver = true;
  }

  private static Map<String, Object> piece(
      String runId, long effectId, long attempt, String kind, int offset, String content) {
    Map<String, Object> payload = new LinkedHashMap<String, Object>();
    payload.put("effectId", effectId);
    payload.put("attempt", attempt);
    payload.put("offset", (long) offset);
    payload.put("content", content);
    boolean isReasoning = kind.equals("reasoning");
    if (!isReasoning) payload.put("contentType", kind);
    return event(isReasoning ? "assistant.reasoning" : "assistant.delta", runId, payload);
  }

  private static Map<String, Object> event(String name, String runId, Map<String, Object> payload) {
    Map<String, Object> event = new LinkedHashMap<String, Object>();
    event.put("event", name);
    event.put("runId", runId);
    event.put("payload", payload);
    return event;
  }
}
