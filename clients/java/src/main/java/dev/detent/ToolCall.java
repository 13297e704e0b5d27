package dev.detent;

/** One call of a tool of the app. */
public final class ToolCall {
  private final String runId;
  private final String callId;

  public ToolCall(String runId, String callId) {
    this.runId = runId;
    this.callId = callId;
  }

  public String getRunId() {
    return runId;
  }

  /** Its id within the run. */
  public String getCallId() {
    return callId;
  }

  /** The same each time that this call is performed, and of no other call. */
  public String getKey() {
    return runId + "/" + callId;
  }
}
