package dev.detent;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a person decides about a call. */
public final class Decision {
  private final Map<String, Object> fields = new LinkedHashMap<String, Object>();

  private Decision(String verdict) {
    fields.put("verdict", verdict);
  }

  public static Decision approve() {
    return new Decision("approve");
  }

  /** @param reason the model gets it; null for none */
  public static Decision reject(String reason) {
    Decision decision = new Decision("reject");
    if (reason != null) decision.fields.put("reason", reason);
    return decision;
  }

  /** @param arguments a JSON object, in place of those of the model */
  public static Decision modify(String arguments) {
    Decision decision = new Decision("modify");
    decision.fields.put("arguments", Json.parseObject(arguments));
    return decision;
  }

  public Map<String, Object> toJson() {
    return new LinkedHashMap<String, Object>(fields);
  }
}
