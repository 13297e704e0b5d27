package dev.detent.sample;

import android.app.Application;
import dev.detent.ConnectionState;
import dev.detent.DetentException;
import dev.detent.StateListener;
import dev.detent.android.DetentAndroid;

/** The whole app: one user, one gateway. */
public final class SampleApplication extends Application implements StateListener {
  private ChatActivity screen;

  @Override
  public void onCreate() {
    super.onCreate();
    DetentAndroid.initialize(this, Backend.URL + "/agent", new Backend(), "bob", this);
  }

  void show(ChatActivity activity) {
    screen = activity;
  }

  @Override
  public void onState(ConnectionState state, DetentException error) {
    if (screen != null) screen.onState(state);
  }
}
