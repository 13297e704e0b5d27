package dev.detent.sample;

import android.app.Notification;
import android.app.NotificationChannel;
import android.app.NotificationManager;
import android.app.PendingIntent;
import android.content.Context;
import android.content.Intent;
import android.os.Build;
import dev.detent.SyncResult;
import dev.detent.android.PushReceiver;

/** Shows a notification of what a push message was about. */
public final class NotifyingReceiver extends PushReceiver {
  private static final String CHANNEL = "answers";

  @Override
  protected void onSynced(Context context, String runId, SyncResult result) {
    boolean isAsking = !result.getPending().isEmpty();
    if (!isAsking && !result.getStatus().equals("done")) return;
    NotificationManager manager = (NotificationManager) context.getSystemService(Context.NOTIFICATION_SERVICE);
    if (Build.VERSION.SDK_INT >= 26)
      manager.createNotificationChannel(
          new NotificationChannel(
              CHANNEL, context.getString(R.string.channel), NotificationManager.IMPORTANCE_DEFAULT));
    Intent open = new Intent(context, ChatActivity.class);
    int flags = PendingIntent.FLAG_UPDATE_CURRENT | (Build.VERSION.SDK_INT >= 23 ? PendingIntent.FLAG_IMMUTABLE : 0);
    // Others may read the lock screen: no word of the conversation is on it.
    Notification notification =
        builder(context)
            .setSmallIcon(android.R.drawable.stat_notify_chat)
            .setContentTitle(context.getString(R.string.app_name))
            .setContentText(context.getString(isAsking ? R.string.asks_you : R.string.has_answered))
            .setContentIntent(PendingIntent.getActivity(context, 0, open, flags))
            .setAutoCancel(true)
            .build();
    manager.notify(runId.hashCode(), notification);
  }

  @SuppressWarnings("deprecation")
  private static Notification.Builder builder(Context context) {
    return Build.VERSION.SDK_INT >= 26 ? new Notification.Builder(context, CHANNEL) : new Notification.Builder(context);
  }
}
