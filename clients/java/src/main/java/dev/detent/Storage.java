package dev.detent;

import java.io.IOException;

/**
 * Keeps what must survive the process: the queue of sends with their keys, the place in each run, and the journal of tools. Called on a
 * background thread, never by two threads at once. Do not share one between two clients.
 */
public interface Storage {
  /** @return what was last written under the name, or null */
  String read(String name) throws IOException;

  /**
   * Replaces the whole value. After a crash the old one or the new one must be there.
   *
   * @param value null deletes it
   */
  void write(String name, String value) throws IOException;
}
