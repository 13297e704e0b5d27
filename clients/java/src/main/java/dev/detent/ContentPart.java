package dev.detent;

/** A part of what the user says. */
public final class ContentPart {
  private final String text;
  private final String attachmentId;

  private ContentPart(String text, String attachmentId) {
    this.text = text;
    this.attachmentId = attachmentId;
  }

  public static ContentPart text(String text) {
    return new ContentPart(text, null);
  }

  /** @param id of {@link DetentClient#upload} */
  public static ContentPart attachment(String id) {
    return new ContentPart(null, id);
  }

  /** Null of an attachment. */
  public String getText() {
    return text;
  }

  /** Null of a text. */
  public String getAttachmentId() {
    return attachmentId;
  }
}
