package dev.detent.sample;

import android.os.Bundle;
import android.view.View;
import android.widget.Button;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.TextView;
import dev.detent.Agent;
import dev.detent.ConnectionState;
import dev.detent.Decision;
import dev.detent.DetentException;
import dev.detent.DetentSdk;
import dev.detent.EngineCallback;
import dev.detent.Thumb;
import dev.detent.android.ConversationActivity;
import dev.detent.wire.AnswerMessage;
import dev.detent.wire.ConfirmRequest;
import dev.detent.wire.ContentPartMessage;
import dev.detent.wire.ContentReset;
import dev.detent.wire.QuestionAsked;
import dev.detent.wire.Resolved;
import dev.detent.wire.RunEnd;
import dev.detent.wire.StaffMessage;
import dev.detent.wire.TakeoverChanged;
import dev.detent.wire.ToolResultMessage;
import dev.detent.wire.UserMessage;
import dev.detent.wire.WireMessage;

/** The one screen: a chat with product cards, the cart, and a sheet for what the user must decide. */
public final class ChatActivity extends ConversationActivity {
  private Cards cards;
  private Sheet sheet;
  private LinearLayout messages;
  private ScrollView scroll;
  private TextView banner;
  private TextView cart;
  private EditText input;
  /** The answer that is being written. */
  private TextView writing;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    setContentView(R.layout.chat);
    cards = new Cards(this);
    sheet = new Sheet(this);
    messages = (LinearLayout) findViewById(R.id.messages);
    scroll = (ScrollView) findViewById(R.id.scroll);
    banner = (TextView) findViewById(R.id.banner);
    cart = (TextView) findViewById(R.id.cart);
    input = (EditText) findViewById(R.id.input);
    findViewById(R.id.send)
        .setOnClickListener(
            new View.OnClickListener() {
              @Override
              public void onClick(View view) {
                say();
              }
            });
    open(Agent.builder().build(), "assistant");
  }

  @Override
  protected void onStart() {
    super.onStart();
    ((SampleApplication) getApplication()).show(this);
    onState(DetentSdk.client().getState());
  }

  @Override
  protected void onDestroy() {
    ((SampleApplication) getApplication()).show(null);
    super.onDestroy();
  }

  void onState(ConnectionState state) {
    if (state == ConnectionState.OFFLINE) show(banner, getString(R.string.offline));
    else if (state == ConnectionState.UNAUTHORIZED) show(banner, getString(R.string.login));
    else banner.setVisibility(View.GONE);
  }

  private static void show(TextView view, String words) {
    view.setText(words);
    view.setVisibility(View.VISIBLE);
  }

  private void say() {
    String words = input.getText().toString().trim();
    if (words.isEmpty()) return;
    input.setText("");
    // It is shown when the gateway has it: the banner says when that takes longer.
    engine().run(words, null);
  }

  @Override
  public void onMessage(WireMessage message) {
    if (message instanceof UserMessage) add(getString(R.string.you), ((UserMessage) message).getContent());
    else if (message instanceof StaffMessage) staff((StaffMessage) message);
    else if (message instanceof ContentPartMessage) piece((ContentPartMessage) message);
    else if (message instanceof ContentReset) reset();
    else if (message instanceof AnswerMessage) writing = null;
    else if (message instanceof ToolResultMessage) result((ToolResultMessage) message);
    else if (message instanceof ConfirmRequest) confirm((ConfirmRequest) message);
    else if (message instanceof QuestionAsked) ask((QuestionAsked) message);
    else if (message instanceof Resolved) sheet.close(callOf(message, ((Resolved) message).getToolCallId()));
    else if (message instanceof TakeoverChanged) takeover((TakeoverChanged) message);
    else if (message instanceof RunEnd) end((RunEnd) message);
  }

  private TextView add(String who, String words) {
    TextView view = cards.text(who.isEmpty() ? words : who + "\n" + words, 0);
    put(view);
    return view;
  }

  private void put(View view) {
    messages.addView(view);
    scroll.post(
        new Runnable() {
          @Override
          public void run() {
            scroll.fullScroll(View.FOCUS_DOWN);
          }
        });
  }

  private void staff(StaffMessage message) {
    String name = message.getAuthor();
    add(name.isEmpty() ? getString(R.string.staff) : getString(R.string.staff_named, name), message.getContent());
  }

  private void piece(ContentPartMessage piece) {
    if (piece.getContentType().equals("reasoning")) return;
    if (writing == null) writing = add(getString(R.string.assistant), "");
    writing.append(piece.getContent());
  }

  private void reset() {
    if (writing != null) messages.removeView(writing);
    writing = null;
  }

  private void result(ToolResultMessage result) {
    for (View card : cards.productsOf(result.getData())) put(card);
    String lines = cards.cartOf(result.getData());
    if (lines != null) show(cart, lines);
  }

  private static String callOf(WireMessage message, String callId) {
    return message.getRunId() + "/" + callId;
  }

  private void confirm(final ConfirmRequest request) {
    if (request.getDecides().equals("staff")) {
      add("", getString(R.string.staff_decides));
      return;
    }
    String preview = request.getPreview();
    String about = preview.isEmpty() ? request.getToolName() + " " + request.getArguments() : preview;
    sheet.ask(callOf(request, request.getToolCallId()), getString(R.string.confirm_title), about);
    sheet.offer(getString(R.string.reject), decision(request, Decision.reject(null)));
    sheet.offer(getString(R.string.approve), decision(request, Decision.approve()));
  }

  private Runnable decision(final ConfirmRequest request, final Decision decision) {
    return new Runnable() {
      @Override
      public void run() {
        engine().confirm(request, decision, telling());
      }
    };
  }

  private void ask(final QuestionAsked question) {
    add(getString(R.string.assistant), question.getQuestion());
    if (question.getOptions().isEmpty()) return;
    sheet.ask(callOf(question, question.getToolCallId()), question.getQuestion(), "");
    for (final String option : question.getOptions())
      sheet.offer(
          option,
          new Runnable() {
            @Override
            public void run() {
              engine().answer(question, option, telling());
            }
          });
  }

  /** Says why a decision did not count. */
  private EngineCallback telling() {
    return new EngineCallback() {
      @Override
      public void onComplete() {}

      @Override
      public void onError(Throwable error) {
        boolean isLate = ((DetentException) error).getCode().equals("DECIDED_BEFORE");
        add("", isLate ? getString(R.string.done_before) : getString(R.string.failed, error.getMessage()));
      }
    };
  }

  private void takeover(TakeoverChanged change) {
    String state = change.getState();
    int words =
        state.equals("waiting")
            ? R.string.waiting_for_staff
            : state.equals("taken") ? R.string.staff_has_come : R.string.assistant_goes_on;
    add("", getString(words));
  }

  private void end(final RunEnd end) {
    if (end.getStatus().equals("failed")) add("", getString(R.string.failed, end.getError()));
    if (end.getStatus().equals("done") && !end.getContent().isEmpty()) {
      LinearLayout thumbs = new LinearLayout(this);
      thumbs.addView(thumb(thumbs, end.getRunId(), Thumb.UP, "\uD83D\uDC4D", R.string.good));
      thumbs.addView(thumb(thumbs, end.getRunId(), Thumb.DOWN, "\uD83D\uDC4E", R.string.bad));
      put(thumbs);
    }
  }

  private Button thumb(final LinearLayout thumbs, final String runId, final Thumb thumb, String sign, int words) {
    Button button = new Button(this);
    button.setText(sign);
    button.setContentDescription(getString(words));
    button.setOnClickListener(
        new View.OnClickListener() {
          @Override
          public void onClick(View view) {
            messages.removeView(thumbs);
            add("", getString(R.string.thanks));
            engine().rate(runId, thumb, null, telling());
          }
        });
    return button;
  }
}
