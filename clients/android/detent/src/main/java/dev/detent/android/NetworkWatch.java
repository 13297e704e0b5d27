package dev.detent.android;

import android.net.ConnectivityManager;
import android.net.Network;
import java.util.concurrent.Executor;

/** Tries again at once when there is a network, in place of waiting for the next attempt. */
final class NetworkWatch extends ConnectivityManager.NetworkCallback {
  private final Executor mainThread;
  private final AppLifecycle lifecycle;

  NetworkWatch(Executor mainThread, AppLifecycle lifecycle) {
    this.mainThread = mainThread;
    this.lifecycle = lifecycle;
  }

  @Override
  public void onAvailable(Network network) {
    mainThread.execute(
        new Runnable() {
          @Override
          public void run() {
            if (lifecycle.isVisible()) DetentAndroid.show();
          }
        });
  }
}
