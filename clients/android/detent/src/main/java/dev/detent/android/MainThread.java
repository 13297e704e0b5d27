package dev.detent.android;

import android.os.Handler;
import android.os.Looper;
import java.util.concurrent.Executor;

/** Calls listeners on the main thread, where they may touch views. */
public final class MainThread implements Executor {
  private final Handler handler = new Handler(Looper.getMainLooper());

  @Override
  public void execute(Runnable task) {
    handler.post(task);
  }
}
