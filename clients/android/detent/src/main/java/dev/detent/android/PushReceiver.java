package dev.detent.android;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import dev.detent.DetentException;
import dev.detent.DetentSdk;
import dev.detent.SyncResult;

/**
 * Brings a run up to date when the shop's backend has sent a push message about it. The service of your push provider broadcasts an intent of
 * the app's own with {@link #RUN_ID}; Android gives the receiver ten seconds, also in doze if the message has a high priority.
 */
public abstract class PushReceiver extends BroadcastReceiver {
  public static final String RUN_ID = "dev.detent.RUN_ID";
  private static final long TIMEOUT_MS = 8000;

  /** On a background thread: show a notification of what waits, or of the answer. */
  protected abstract void onSynced(Context context, String runId, SyncResult result);

  /** On a background thread. @param error {@code UNREACHABLE} or another code: the messages come when the app is next visible */
  protected void onFailed(Context context, String runId, DetentException error) {}

  @Override
  public final void onReceive(final Context context, Intent intent) {
    final String runId = intent.getStringExtra(RUN_ID);
    if (runId == null) return;
    final PendingResult pending = goAsync();
    Thread thread =
        new Thread("push") {
          @Override
          public void run() {
            try {
              onSynced(context, runId, DetentSdk.client().sync(runId, TIMEOUT_MS));
            } catch (DetentException error) {
              onFailed(context, runId, error);
            } catch (InterruptedException stop) {
              // Nobody interrupts it.
            } finally {
              pending.finish();
            }
          }
        };
    thread.start();
  }
}
