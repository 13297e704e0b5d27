package dev.detent;

import java.io.IOException;

/** Gets tokens of the app's own backend. */
public interface TokenProvider {
  /**
   * Called on a background thread when the gateway has answered 401, and at no other time; once for all requests that wait.
   *
   * @return a new token; null when the user is logged out
   * @throws IOException when the backend cannot be reached: the client tries again later
   */
  String getToken() throws IOException;
}
