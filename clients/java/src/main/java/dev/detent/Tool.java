package dev.detent;

/** A tool that the app performs when the model calls it. */
public interface Tool {
  /** Letters, digits, {@code _} and {@code -}, at most 64. */
  String getName();

  /** What the model reads of it. */
  String getDescription();

  ToolSchema getSchema();

  SideEffect getSideEffect();

  /**
   * Performs it, on a background thread. An exception is a result that the model reads.
   *
   * @param arguments a JSON object, as the model wrote it: check it
   * @param call with {@link ToolCall#getKey} for a backend that does each key once
   */
  ToolResult execute(String arguments, ToolCall call) throws Exception;
}
