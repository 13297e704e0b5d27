package dev.detent.android;

import android.app.Activity;
import android.app.Application;
import android.os.Bundle;

/** Connects while a screen of the app is visible. */
final class AppLifecycle implements Application.ActivityLifecycleCallbacks {
  private int started;

  /** On the main thread, like all others. */
  boolean isVisible() {
    return started > 0;
  }

  @Override
  public void onActivityStarted(Activity activity) {
    if (started++ == 0) DetentAndroid.show();
  }

  @Override
  public void onActivityStopped(Activity activity) {
    // A rotation stops the screen before it starts the next one: that is no reason to close connections.
    if (--started == 0 && !activity.isChangingConfigurations()) DetentAndroid.hide();
  }

  @Override
  public void onActivityCreated(Activity activity, Bundle state) {}

  @Override
  public void onActivityResumed(Activity activity) {}

  @Override
  public void onActivityPaused(Activity activity) {}

  @Override
  public void onActivitySaveInstanceState(Activity activity, Bundle state) {}

  @Override
  public void onActivityDestroyed(Activity activity) {}
}
