package dev.detent.internal;

import dev.detent.DetentException;
import dev.detent.TokenProvider;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/** The token of this user. Its provider is asked once for all requests that the gateway refused with the same token. */
final class Tokens {
  private final TokenProvider provider;
  private final ReentrantLock asking = new ReentrantLock();
  private volatile String token;

  Tokens(TokenProvider provider, String token) {
    this.provider = provider;
    this.token = token;
  }

  String current() {
    return token;
  }

  /** @param refused the token that the gateway answered 401 to; null for a request without one */
  void renew(String refused) throws DetentException, InterruptedException {
    asking.lockInterruptibly();
    try {
      String now = token;
      if (now != null && !now.equals(refused)) return;
      String given = provider.getToken();
      if (given == null || given.isEmpty()) throw new DetentException("UNAUTHORIZED", "the user is logged out");
      token = given;
    } catch (IOException failed) {
      throw new DetentException("UNREACHABLE", "no token: " + failed.getMessage(), true, null);
    } finally {
      asking.unlock();
    }
  }
}
