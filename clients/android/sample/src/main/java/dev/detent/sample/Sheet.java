package dev.detent.sample;

import android.view.View;
import android.widget.Button;
import android.widget.LinearLayout;
import android.widget.TextView;

/** The sheet above the keyboard, which asks one thing at a time. */
final class Sheet {
  private final View sheet;
  private final TextView title;
  private final TextView text;
  private final LinearLayout buttons;
  private String callId = "";

  Sheet(ChatActivity screen) {
    sheet = screen.findViewById(R.id.sheet);
    title = (TextView) screen.findViewById(R.id.sheet_title);
    text = (TextView) screen.findViewById(R.id.sheet_text);
    buttons = (LinearLayout) screen.findViewById(R.id.sheet_buttons);
  }

  /** @param call {@code runId/callId}: what {@link #close} is told when it was decided elsewhere */
  void ask(String call, String asks, String about) {
    callId = call;
    title.setText(asks);
    text.setText(about);
    text.setVisibility(about.isEmpty() ? View.GONE : View.VISIBLE);
    buttons.removeAllViews();
    sheet.setVisibility(View.VISIBLE);
  }

  void offer(String words, final Runnable chosen) {
    Button button = new Button(sheet.getContext());
    button.setText(words);
    button.setOnClickListener(
        new View.OnClickListener() {
          @Override
          public void onClick(View view) {
            sheet.setVisibility(View.GONE);
            chosen.run();
          }
        });
    buttons.addView(button);
  }

  void close(String call) {
    if (call.equals(callId)) sheet.setVisibility(View.GONE);
  }
}
