package dev.detent.sample;

import android.content.Context;
import android.view.View;
import android.widget.TextView;
import dev.detent.Json;
import java.math.BigDecimal;
import java.text.NumberFormat;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Map;

/** Draws what the tools of the shop give for screens. */
final class Cards {
  private final Context context;

  Cards(Context context) {
    this.context = context;
  }

  /** A card for each product; none for other data. */
  List<View> productsOf(Map<String, Object> data) {
    List<View> cards = new ArrayList<View>();
    for (String list : new String[] {"items", "compared"})
      for (Map<String, Object> item : Json.objects(data, list)) cards.add(product(item));
    return cards;
  }

  private View product(Map<String, Object> item) {
    Map<String, Object> variant = Json.object(item, "variant");
    String stock = context.getString(Json.is(variant, "isAvailable") ? R.string.in_stock : R.string.sold_out);
    StringBuilder options = new StringBuilder();
    for (Object option : Json.object(variant, "options").values()) options.append(option).append(" · ");
    String price = money(Json.object(variant, "price"));
    return text(Json.text(item, "name") + "\n" + options + price + " · " + stock, R.color.card);
  }

  /** The cart in lines; null if the data has none. */
  String cartOf(Map<String, Object> data) {
    Map<String, Object> cart = Json.object(data, "cart");
    if (cart.isEmpty()) return null;
    StringBuilder text = new StringBuilder(context.getString(R.string.cart, money(Json.object(cart, "total"))));
    for (Map<String, Object> line : Json.objects(cart, "lines"))
      text.append('\n')
          .append(
              context.getString(
                  R.string.cart_line,
                  Json.whole(line, "quantity"),
                  Json.text(line, "name"),
                  money(Json.object(line, "total"))));
    return text.toString();
  }

  /** Minor units in the words of the user's language. */
  private static String money(Map<String, Object> money) {
    NumberFormat format = NumberFormat.getCurrencyInstance();
    Currency currency;
    try {
      currency = Currency.getInstance(Json.text(money, "currency"));
    } catch (IllegalArgumentException unknown) {
      return Json.whole(money, "minor") + " " + Json.text(money, "currency");
    }
    format.setCurrency(currency);
    int digits = Math.max(currency.getDefaultFractionDigits(), 0);
    format.setMinimumFractionDigits(digits);
    format.setMaximumFractionDigits(digits);
    return format.format(BigDecimal.valueOf(Json.whole(money, "minor"), digits));
  }

  TextView text(String words, int background) {
    TextView view = new TextView(context);
    // Words of people, models and products are shown as they are: never as HTML.
    view.setText(words);
    view.setTextIsSelectable(true);
    view.setPadding(16, 16, 16, 16);
    if (background != 0) view.setBackgroundResource(background);
    return view;
  }
}
