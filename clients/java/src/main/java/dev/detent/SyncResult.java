package dev.detent;

import dev.detent.wire.WireMessage;
import java.util.List;

/** How a run stands, for a notification. */
public final class SyncResult {
  private final String status;
  private final String text;
  private final List<WireMessage> pending;

  public SyncResult(String status, String text, List<WireMessage> pending) {
    this.status = status;
    this.text = text;
    this.pending = pending;
  }

  /** {@code done}, {@code failed}, {@code cancelled}, {@code waiting}, or what it does when the time was over. */
  public String getStatus() {
    return status;
  }

  /** The last answer. */
  public String getText() {
    return text;
  }

  /** What waits for a person: {@code ConfirmRequest} and {@code QuestionAsked}, which {@link Engine} takes decisions on. */
  public List<WireMessage> getPending() {
    return pending;
  }
}
