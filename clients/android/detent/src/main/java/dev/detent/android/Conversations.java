package dev.detent.android;

import android.content.Context;
import android.content.SharedPreferences;
import dev.detent.DetentSdk;

/** Keeps the ids of conversations, so that a screen goes on with its own after the process was killed. */
public final class Conversations {
  private static final String FILE = "detent-conversations";

  private Conversations() {}

  /** @param name of the app's own, such as {@code "assistant"} */
  public static synchronized String idOf(Context context, String name) {
    SharedPreferences kept = preferences(context);
    String id = kept.getString(name, null);
    if (id != null) return id;
    return renew(context, name);
  }

  /** A new conversation in place of the one of this name. */
  public static synchronized String renew(Context context, String name) {
    String id = DetentSdk.newSession();
    preferences(context).edit().putString(name, id).apply();
    return id;
  }

  /** Another user has other conversations. */
  static synchronized void forget(Context context) {
    preferences(context).edit().clear().commit();
  }

  private static SharedPreferences preferences(Context context) {
    return context.getSharedPreferences(FILE, Context.MODE_PRIVATE);
  }
}
