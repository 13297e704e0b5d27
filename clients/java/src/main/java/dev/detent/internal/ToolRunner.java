package dev.detent.internal;

import dev.detent.DetentException;
import dev.detent.Json;
import dev.detent.SideEffect;
import dev.detent.Tool;
import dev.detent.ToolCall;
import dev.detent.ToolResult;
import dev.detent.ToolSchema;
import dev.detent.wire.Resolved;
import dev.detent.wire.RunEnd;
import dev.detent.wire.ToolRequest;
import dev.detent.wire.WireMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Performs the tools of the app. The journal, {@code tools} of the state, has each call: {@code asked}; {@code begun}, written before the
 * tool begins; {@code answered}, written with the result that waits in the queue.
 */
final class ToolRunner {
  /** A device that dies keeps the others from a call for so long. */
  private static final long HOLD_MS = 60000;
  /** Whether it was done is for the device that began it to say. */
  private static final long HOLD_UNSAFE_MS = 86400000;
  private final Life life;
  private final Map<String, Tool> tools = new LinkedHashMap<String, Tool>();
  /** Calls that this process works on. */
  private final Set<String> underWay = new HashSet<String>();
  /** Calls about which the user was asked. */
  private final Set<String> undecided = new HashSet<String>();

  ToolRunner(Life life) {
    this.life = life;
  }

  void register(Tool tool) {
    tools.put(tool.getName(), tool);
    pump();
  }

  /** What a run is told of them; null without any. */
  List<Object> declared() {
    if (tools.isEmpty()) return null;
    List<Object> all = new ArrayList<Object>();
    for (Tool tool : tools.values()) {
      Map<String, Object> one = new LinkedHashMap<String, Object>();
      one.put("name", tool.getName());
      one.put("description", tool.getDescription());
      ToolSchema schema = tool.getSchema();
      one.put("parameters", (schema == null ? new ToolSchema() : schema).toJson());
      all.add(one);
    }
    return all;
  }

  /** A message of a run, before any listener gets it. */
  void saw(WireMessage message) {
    String runId = message.getRunId();
    Map<String, Map<String, Object>> journal = life.state.tools;
    if (message instanceof ToolRequest) {
      ToolRequest request = (ToolRequest) message;
      String key = runId + "/" + request.getToolCallId();
      if (!journal.containsKey(key)) {
        Map<String, Object> call = new LinkedHashMap<String, Object>();
        call.put("runId", runId);
        call.put("callId", request.getToolCallId());
        call.put("name", request.getToolName());
        call.put("arguments", request.getArguments());
        call.put("at", request.getAt());
        call.put("status", "asked");
        journal.put(key, call);
      }
      pump();
    } else if (message instanceof Resolved) {
      undecided.remove(runId + "/" + ((Resolved) message).getToolCallId());
      journal.remove(runId + "/" + ((Resolved) message).getToolCallId());
    } else if (message instanceof RunEnd)
      for (String key : new ArrayList<String>(journal.keySet())) if (key.startsWith(runId + "/")) journal.remove(key);
  }

  /** Whether a call of the run is performed here, will be, or its result is on its way. @param pending what waits, as the gateway says */
  boolean isBusy(String runId, List<Map<String, Object>> pending) {
    for (Map<String, Object> one : pending) {
      if (!Json.text(one, "kind").equals("client") || !tools.containsKey(Json.text(one, "name"))) continue;
      String key = runId + "/" + Json.text(one, "callId");
      Map<String, Object> call = life.state.tools.get(key);
      if (call == null) return true;
      String status = Json.text(call, "status");
      if (!undecided.contains(key) && !status.equals("elsewhere") && !status.equals("over")) return true;
    }
    return false;
  }

  /** Begins what can begin. */
  void pump() {
    if (!life.isActive() || !life.isLoaded()) return;
    for (final Map.Entry<String, Map<String, Object>> entry : life.state.tools.entrySet()) {
      final String key = entry.getKey();
      final Map<String, Object> call = entry.getValue();
      final Tool tool = tools.get(Json.text(call, "name"));
      String status = Json.text(call, "status");
      if (tool == null || underWay.contains(key) || !(status.equals("asked") || status.equals("begun"))) continue;
      final boolean isRepeated = status.equals("begun");
      if (isRepeated && tool.getSideEffect() == SideEffect.UNSAFE) {
        if (undecided.contains(key)) continue;
        if (life.askUser(call)) undecided.add(key);
        continue;
      }
      underWay.add(key);
      life.threads.spawn(
          new Runnable() {
            @Override
            public void run() {
              try {
                perform(key, call, tool, isRepeated);
              } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
              }
            }
          });
    }
  }

  private void perform(final String key, final Map<String, Object> call, Tool tool, boolean isRepeated)
      throws InterruptedException {
    if (!claim(key, call, tool)) return;
    long waitedMs = life.transport.now() - Json.whole(call, "at");
    if (waitedMs > life.config.getToolDeadlineMs()) {
      String words = "the app was not there for " + waitedMs / 1000 + " s: ";
      settle(key, call, ToolResult.error(words + (isRepeated ? "it is unknown whether this was done" : "this was not done")), null);
      return;
    }
    if (!begin(key, call)) return;
    settle(key, call, execute(call, tool), null);
  }

  private static long holdMs(Tool tool) {
    return tool.getSideEffect() == SideEffect.UNSAFE ? HOLD_UNSAFE_MS : HOLD_MS;
  }

  /** @return whether no other device of the user performs the call */
  private boolean claim(String key, Map<String, Object> call, Tool tool) throws InterruptedException {
    for (int fails = 0; life.isActive(); ) {
      try {
        life.claim(call, holdMs(tool));
        return true;
      } catch (DetentException error) {
        if (error.getCode().equals("CALL_CLAIMED")) {
          settle(key, call, null, "elsewhere");
          long until = Json.whole(error.getDetails(), "until") - life.transport.now();
          askAgain(key, Math.max(1000, Math.min(until, HOLD_MS)));
          return false;
        }
        if (!error.isRetryable()) {
          // It has its result, or its run has ended.
          settle(key, call, null, "over");
          return false;
        }
        life.note(error);
        life.rest(++fails);
      }
    }
    // The client went to the background before the tool began.
    settle(key, call, null, null);
    return false;
  }

  /** The other device may have died. */
  private void askAgain(final String key, long ms) {
    life.threads.later(
        new Runnable() {
          @Override
          public void run() {
            Map<String, Object> call = life.state.tools.get(key);
            if (call == null || !Json.text(call, "status").equals("elsewhere")) return;
            call.put("status", "asked");
            pump();
          }
        },
        ms);
  }

  /** Writes to the journal that the tool begins. @return false if the call was resolved meanwhile */
  private boolean begin(final String key, final Map<String, Object> call) throws InterruptedException {
    return life.threads.ask(
        new Callable<Boolean>() {
          @Override
          public Boolean call() {
            if (life.state.tools.get(key) != call) {
              underWay.remove(key);
              return false;
            }
            call.put("status", "begun");
            // What is not written must not begin: after a kill it would begin again.
            if (life.save()) return true;
            call.put("status", "asked");
            underWay.remove(key);
            return false;
          }
        });
  }

  private ToolResult execute(final Map<String, Object> call, final Tool tool) throws InterruptedException {
    final FutureTask<ToolResult> task =
        new FutureTask<ToolResult>(
            new Callable<ToolResult>() {
              @Override
              public ToolResult call() throws Exception {
                return tool.execute(
                    Json.text(call, "arguments"), new ToolCall(Json.text(call, "runId"), Json.text(call, "callId")));
              }
            });
    life.threads.spawn(task);
    long left = life.config.getToolTimeoutMs();
    while (true) {
      long some = Math.min(left, HOLD_MS / 3);
      try {
        ToolResult result = task.get(some, TimeUnit.MILLISECONDS);
        return result == null ? ToolResult.error("the tool gave no result") : result;
      } catch (ExecutionException failed) {
        return ToolResult.error(String.valueOf(failed.getCause().getMessage()));
      } catch (TimeoutException late) {
        left -= some;
        if (left <= 0) break;
        renew(call, tool);
      }
    }
    task.cancel(true);
    String words = "the tool took longer than " + life.config.getToolTimeoutMs() + " ms";
    return ToolResult.error(
        tool.getSideEffect() == SideEffect.READONLY ? words : words + ": it is unknown whether it was done");
  }

  private void renew(Map<String, Object> call, Tool tool) throws InterruptedException {
    try {
      life.claim(call, holdMs(tool));
    } catch (DetentException offline) {
      // What another one did meanwhile counts: the result of this one will be refused.
    }
  }

  /** @param result null if it was not performed here @param status then: what the journal says of it; null leaves it as it is */
  private void settle(
      final String key, final Map<String, Object> call, final ToolResult result, final String status) {
    life.threads.act(
        new Runnable() {
          @Override
          public void run() {
            underWay.remove(key);
            if (result != null) answer(key, call, result);
            else if (status != null) call.put("status", status);
            else pump();
          }
        });
  }

  /** Puts the result into the queue, in one write with the journal. */
  private void answer(String key, Map<String, Object> call, ToolResult result) {
    if (life.state.tools.get(key) != call || Json.text(call, "status").equals("answered")) return;
    call.put("status", "answered");
    undecided.remove(key);
    life.sendResult(call, result);
  }

  /** What the user said of a call that was under way when the app was killed. */
  void resolve(String runId, String callId, ToolResult result) {
    String key = runId + "/" + callId;
    Map<String, Object> call = life.state.tools.get(key);
    if (call != null) answer(key, call, result);
  }
}
