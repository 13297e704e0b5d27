package dev.detent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The arguments of a tool, as JSON Schema. */
public final class ToolSchema {
  private final Map<String, Object> properties = new LinkedHashMap<String, Object>();
  private final List<String> required = new ArrayList<String>();
  private Map<String, Object> whole;

  /** A schema without arguments, for {@link #add}. */
  public ToolSchema() {}

  /** @param json a JSON Schema of type object */
  public static ToolSchema parse(String json) {
    ToolSchema schema = new ToolSchema();
    schema.whole = Json.parseObject(json);
    return schema;
  }

  /** An argument that the model must give. @param type {@code string}, {@code number}, {@code integer} or {@code boolean} */
  public ToolSchema add(String name, String type, String description) {
    required.add(name);
    return addOptional(name, type, description);
  }

  /** An argument that the model may leave out. */
  public ToolSchema addOptional(String name, String type, String description) {
    Map<String, Object> property = new LinkedHashMap<String, Object>();
    property.put("type", type);
    property.put("description", description);
    properties.put(name, property);
    return this;
  }

  public Map<String, Object> toJson() {
    if (whole != null) return whole;
    Map<String, Object> schema = new LinkedHashMap<String, Object>();
    schema.put("type", "object");
    schema.put("properties", properties);
    schema.put("required", required);
    return schema;
  }
}
