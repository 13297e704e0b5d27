package dev.detent;

import java.util.ArrayList;
import java.util.List;

/** Which agent of the gateway an engine talks to. Its prompt, tools and model are the gateway's. */
public final class Agent {
  private final String name;
  private final String model;
  private final List<String> tools;

  private Agent(Builder builder) {
    name = builder.name;
    model = builder.model;
    tools = builder.tools;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** {@code ""} is the gateway's default agent. */
  public String getName() {
    return name;
  }

  /** What {@link Engine#getModel} says: the app's own word, since customers are not told which model answers. */
  public String getModel() {
    return model;
  }

  /** The only tools that its runs may use, out of those of the agent; null is all. Tools of the app are not among these. */
  public List<String> getTools() {
    return tools == null ? null : new ArrayList<String>(tools);
  }

  public static final class Builder {
    private String name = "";
    private String model = "";
    private List<String> tools;

    private Builder() {}

    public Builder name(String name) {
      this.name = name;
      return this;
    }

    public Builder model(String model) {
      this.model = model;
      return this;
    }

    public Builder tools(List<String> tools) {
      this.tools = new ArrayList<String>(tools);
      return this;
    }

    public Agent build() {
      return new Agent(this);
    }
  }
}
