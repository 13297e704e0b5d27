package dev.detent;

import dev.detent.wire.ConfirmRequest;
import dev.detent.wire.QuestionAsked;
import dev.detent.wire.ToolUndecided;
import dev.detent.wire.WireMessage;
import java.util.List;

/** One conversation with an agent. All methods may be called on any thread, and none waits. */
public interface Engine {
  /** Of the agent. */
  String getName();

  /** Of the agent, as the app named it. */
  String getModel();

  /** The conversation: the same id continues it after the app was killed. */
  String getSessionId();

  /**
   * Says something to the agent. Without a connection it is kept and sent later; runs of one conversation start in the order of these calls.
   *
   * @return the key under which the gateway makes one run, however often this is sent
   */
  String run(String userInput, EngineCallback callback);

  String run(List<ContentPart> userInput, EngineCallback callback);

  /** @param key of the app's own, to say the same thing again after the app was killed without saying it twice */
  String run(List<ContentPart> userInput, String key, EngineCallback callback);

  /** The same, with the messages of this run alone. */
  String stream(List<ContentPart> userInput, StreamCallback<WireMessage> callback);

  /** @param key as of {@link #run(List, String, EngineCallback)}: what came of the run before is not repeated */
  String stream(List<ContentPart> userInput, String key, StreamCallback<WireMessage> callback);

  /** It gets the messages of the whole conversation, also of people of the shop. Listeners may be added and removed while messages are delivered. */
  void addWireListener(WireListener listener);

  void removeWireListener(WireListener listener);

  /** Later answers know nothing of what was said so far. A run under way is not cancelled. */
  void clearHistory();

  /** Decides on a call that waits. If anything but the call that the person saw waits by then, it is refused with {@code HASH_MISMATCH}. */
  void confirm(ConfirmRequest request, Decision decision, EngineCallback callback);

  /** @param answer a text, a list of the options chosen, a map of the fields of a form; null closes the question unanswered */
  void answer(QuestionAsked question, Object answer, EngineCallback callback);

  /** Says what became of an unsafe tool of the app that was under way when the app was killed. */
  void resolve(ToolUndecided question, ToolResult result);

  /** Adds a message to a run. The next model call gets it. */
  void steer(String runId, String message, EngineCallback callback);

  /**
   * Says what the last answer of a run was worth. A later rating takes the place of an earlier one.
   *
   * @param reason in the user's words, at most 2,000 characters; null for none
   */
  void rate(String runId, Thumb thumb, String reason, EngineCallback callback);

  void cancel(String runId, String reason, EngineCallback callback);

  /** Stops listening. What was said is still sent, and runs go on. */
  void shutdown();
}
