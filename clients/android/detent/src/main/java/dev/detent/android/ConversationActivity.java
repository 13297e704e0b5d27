package dev.detent.android;

import android.app.Activity;
import dev.detent.Agent;
import dev.detent.DetentSdk;
import dev.detent.Engine;
import dev.detent.WireListener;

/**
 * A screen with one conversation: gets its messages on the main thread for as long as it lives, and those that came while it was away. Views
 * come first: call {@code setContentView} in {@code onCreate}, then {@link #open}.
 */
public abstract class ConversationActivity extends Activity implements WireListener {
  private Engine engine;

  /** @param name of the conversation, as of {@link Conversations#idOf} */
  protected final Engine open(Agent agent, String name) {
    engine = DetentSdk.createEngine(agent, Conversations.idOf(this, name));
    engine.addWireListener(this);
    return engine;
  }

  protected final Engine engine() {
    return engine;
  }

  /** The run goes on; what it says meanwhile comes to the next screen. */
  @Override
  protected void onDestroy() {
    if (engine != null) DetentSdk.destroyEngine(engine);
    super.onDestroy();
  }
}
