package dev.detent.internal;

import dev.detent.FileStorage;
import dev.detent.Json;
import dev.detent.wire.WireMessage;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Answers each line of stdin, a case of the inner parts, with a line of JSON. */
public final class UnitMain {
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Map<String, Object> asked = Json.parseObject(line);
      Object answer;
      try {
        answer = perform(Json.text(asked, "do"), asked);
      } catch (Throwable failed) {
        Map<String, Object> error = new LinkedHashMap<String, Object>();
        error.put("error", failed.getClass().getSimpleName() + ": " + failed.getMessage());
        answer = error;
      }
      out.println(Json.write(answer));
    }
    out.flush();
  }

  private static Object perform(String what, Map<String, Object> asked) throws Exception {
    if (what.equals("json")) {
      List<Object> all = new ArrayList<Object>();
      for (String text : Json.texts(asked, "texts")) {
        try {
          all.add(Json.write(Json.parse(text)));
        } catch (IllegalArgumentException wrong) {
          all.add(null);
        }
      }
      return all;
    }
    if (what.equals("order")) {
      EventOrder order = new EventOrder(Json.whole(asked, "after"));
      List<Object> all = new ArrayList<Object>();
      for (Map<String, Object> event : Json.objects(asked, "events")) all.addAll(order.take(event));
      return all;
    }
    if (what.equals("classes")) {
      List<Object> all = new ArrayList<Object>();
      for (Map<String, Object> event : Json.objects(asked, "events")) all.add(WireMessage.of(event).getClass().getSimpleName());
      return all;
    }
    if (what.equals("file")) {
      FileStorage storage = new FileStorage(new File(Json.text(asked, "folder"), "new/folder"));
      List<Object> all = new ArrayList<Object>();
      all.add(storage.read("a"));
      storage.write("a", "größe 🙂");
      all.add(storage.read("a"));
      storage.write("a", "");
      all.add(storage.read("a"));
      storage.write("a", null);
      storage.write("a", null);
      all.add(storage.read("a"));
      return all;
    }
    throw new IllegalArgumentException(what);
  }
}
