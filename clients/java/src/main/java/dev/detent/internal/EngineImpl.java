package dev.detent.internal;

import dev.detent.Agent;
import dev.detent.ContentPart;
import dev.detent.Decision;
import dev.detent.Engine;
import dev.detent.EngineCallback;
import dev.detent.StreamCallback;
import dev.detent.Thumb;
import dev.detent.ToolResult;
import dev.detent.WireListener;
import dev.detent.wire.ConfirmRequest;
import dev.detent.wire.QuestionAsked;
import dev.detent.wire.ToolUndecided;
import dev.detent.wire.WireMessage;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** An engine: gives everything to the life of its user. */
final class EngineImpl implements Engine {
  private final Life life;
  private final Agent agent;
  private final String sessionId;
  private volatile boolean isDestroyed;
  private final CopyOnWriteArrayList<WireListener> listeners = new CopyOnWriteArrayList<WireListener>();

  EngineImpl(Life life, Agent agent, String sessionId) {
    this.life = life;
    this.agent = agent;
    this.sessionId = sessionId;
  }

  @Override
  public String getName() {
    return agent.getName();
  }

  @Override
  public String getModel() {
    return agent.getModel();
  }

  @Override
  public String getSessionId() {
    return sessionId;
  }

  Agent agent() {
    return agent;
  }

  @Override
  public String run(String userInput, EngineCallback callback) {
    return run(Collections.singletonList(ContentPart.text(userInput)), callback);
  }

  @Override
  public String run(List<ContentPart> userInput, EngineCallback callback) {
    return run(userInput, UUID.randomUUID().toString(), callback);
  }

  @Override
  public String run(List<ContentPart> userInput, String key, EngineCallback callback) {
    life.run(this, userInput, key, Ending.of(callback));
    return key;
  }

  @Override
  public String stream(List<ContentPart> userInput, StreamCallback<WireMessage> callback) {
    return stream(userInput, UUID.randomUUID().toString(), callback);
  }

  @Override
  public String stream(List<ContentPart> userInput, String key, final StreamCallback<WireMessage> callback) {
    life.run(
        this,
        userInput,
        key,
        new RunSink() {
          @Override
          public void onMessage(WireMessage message) {
            callback.onNext(message);
          }

          @Override
          public void onEnd(Throwable error) {
            if (error == null) callback.onComplete();
            else callback.onError(error);
          }
        });
    return key;
  }

  @Override
  public void addWireListener(WireListener listener) {
    listeners.addIfAbsent(listener);
    // What came while the app was away is not handed on before there is somebody to get it.
    life.attach(this);
  }

  @Override
  public void removeWireListener(WireListener listener) {
    listeners.remove(listener);
  }

  /** On the executor of the app. */
  void tell(WireMessage message) {
    for (WireListener listener : listeners) listener.onMessage(message);
  }

  void forgetListeners() {
    listeners.clear();
  }

  @Override
  public void clearHistory() {
    life.ofSession("clear", sessionId, new LinkedHashMap<String, Object>(), null);
  }

  @Override
  public void confirm(ConfirmRequest request, Decision decision, EngineCallback callback) {
    Map<String, Object> body = decision.toJson();
    body.put("hash", request.getHash());
    life.decide(request.getRunId(), "confirmations/" + request.getToolCallId(), body, Ending.of(callback));
  }

  @Override
  public void answer(QuestionAsked question, Object answer, EngineCallback callback) {
    Map<String, Object> body = new LinkedHashMap<String, Object>();
    if (answer != null) body.put("answer", answer);
    body.put("hash", question.getHash());
    life.decide(question.getRunId(), "answers/" + question.getToolCallId(), body, Ending.of(callback));
  }

  @Override
  public void resolve(ToolUndecided question, ToolResult result) {
    life.resolve(question.getRunId(), question.getToolCallId(), result);
  }

  @Override
  public void steer(String runId, String message, EngineCallback callback) {
    Map<String, Object> body = new LinkedHashMap<String, Object>();
    body.put("message", message);
    life.decide(runId, "messages", body, Ending.of(callback));
  }

  @Override
  public void rate(String runId, Thumb thumb, String reason, EngineCallback callback) {
    Map<String, Object> body = new LinkedHashMap<String, Object>();
    body.put("runId", runId);
    body.put("thumb", thumb == Thumb.UP ? "up" : "down");
    if (reason != null && !reason.isEmpty()) body.put("reason", reason);
    life.ofSession("rate", sessionId, body, Ending.of(callback));
  }

  @Override
  public void cancel(String runId, String reason, EngineCallback callback) {
    Map<String, Object> body = new LinkedHashMap<String, Object>();
    if (reason != null && !reason.isEmpty()) body.put("reason", reason);
    life.decide(runId, "cancel", body, Ending.of(callback));
  }

  boolean isDestroyed() {
    return isDestroyed;
  }

  @Override
  public void shutdown() {
    isDestroyed = true;
    forgetListeners();
    life.destroy(this);
  }
}
