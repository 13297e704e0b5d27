package dev.detent;

/** What a tool of the app gives the model. */
public final class ToolResult {
  private final boolean isSuccess;
  private final String text;

  private ToolResult(boolean isSuccess, String text) {
    this.isSuccess = isSuccess;
    this.text = text == null ? "" : text;
  }

  public static ToolResult success(String content) {
    return new ToolResult(true, content);
  }

  /** @param message what the model reads: what went wrong, and what it could do instead */
  public static ToolResult error(String message) {
    return new ToolResult(false, message);
  }

  public boolean isSuccess() {
    return isSuccess;
  }

  /** Of a success, else {@code ""}. */
  public String getContent() {
    return isSuccess ? text : "";
  }

  /** Of an error, else {@code ""}. */
  public String getError() {
    return isSuccess ? "" : text;
  }
}
