package dev.detent.internal;

import dev.detent.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Where the reader of a run is: it passes each event once and in order, over any number of connections. */
final class EventOrder {
  private final Pieces pieces = new Pieces();
  private long wholeSeq;
  private long seq;
  private long index = -1;

  EventOrder(long afterSeq) {
    wholeSeq = afterSeq;
    seq = afterSeq;
  }

  /** The last transition of which the reader has all events: it resumes behind this one. */
  long wholeSeq() {
    return wholeSeq;
  }

  /** What the reader gets of an event that came. */
  List<Map<String, Object>> take(Map<String, Object> event) {
    if (!(event.get("seq") instanceof Long)) return pieces.take(event);
    long at = Json.whole(event, "seq");
    long place = Json.whole(event, "index");
    if (at <= wholeSeq || (at == seq && place <= index)) return Collections.emptyList();
    seq = at;
    index = place;
    if (Json.is(event, "last")) wholeSeq = at;
    List<Map<String, Object>> got = new ArrayList<Map<String, Object>>(pieces.before(event));
    got.add(event);
    return got;
  }
}
