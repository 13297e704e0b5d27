package dev.detent.android;

import android.app.Application;
import android.content.Context;
import android.net.ConnectivityManager;
import android.net.NetworkCapabilities;
import android.net.NetworkRequest;
import dev.detent.DetentConfig;
import dev.detent.DetentSdk;
import dev.detent.StateListener;
import dev.detent.TokenProvider;
import java.io.File;

/** Ties the client to the life of an app: call {@link #initialize} in {@code Application.onCreate}. */
public final class DetentAndroid {
  private static boolean isInitialized;

  private DetentAndroid() {}

  /**
   * Begins on the main thread, and reads nothing from disk there. The client connects when a screen is visible, and closes all when none is: a
   * process that a push message started stays offline until {@link PushReceiver} asks.
   *
   * @param url of the gateway, with its prefix
   * @param tokens asked on a background thread
   * @param user who is logged in, in the app's words; {@code ""} for nobody in particular
   * @param states for a banner; may be null
   */
  public static void initialize(
      Application app, String url, TokenProvider tokens, String user, StateListener states) {
    MainThread mainThread = new MainThread();
    DetentConfig config = new DetentConfig(url, tokens, new File(app.getFilesDir(), "detent"));
    DetentSdk.initialize(config.executor(mainThread).user(user).stateListener(states).startInBackground());
    isInitialized = true;
    AppLifecycle lifecycle = new AppLifecycle();
    app.registerActivityLifecycleCallbacks(lifecycle);
    ConnectivityManager networks = (ConnectivityManager) app.getSystemService(Context.CONNECTIVITY_SERVICE);
    NetworkRequest internet =
        new NetworkRequest.Builder().addCapability(NetworkCapabilities.NET_CAPABILITY_INTERNET).build();
    networks.registerNetworkCallback(internet, new NetworkWatch(mainThread, lifecycle));
  }

  static void show() {
    if (isInitialized) DetentSdk.client().foreground();
  }

  static void hide() {
    if (isInitialized) DetentSdk.client().background();
  }

  /**
   * Ends the conversations of this user and deletes what was kept of them. It waits for threads to end, so it does so on a thread of its own.
   *
   * @param then on the main thread: now the next user may log in
   */
  public static void logout(final Context context, final Runnable then) {
    Thread thread =
        new Thread("logout") {
          @Override
          public void run() {
            DetentSdk.client().logout();
            Conversations.forget(context);
            new MainThread().execute(then);
          }
        };
    thread.start();
  }
}
