package dev.detent.sample;

import dev.detent.TokenProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URL;

/** The shop's own backend: here that of docs/backend.md, on the computer that the emulator runs on. */
final class Backend implements TokenProvider {
  static final String URL = "http://10.0.2.2:3000";

  /** Logs the customer of the example in. An app asks with the session that its user has. */
  @Override
  public String getToken() throws IOException {
    HttpURLConnection http = (HttpURLConnection) new URL(URL + "/login").openConnection();
    try {
      http.setDoOutput(true);
      http.setRequestProperty("Content-Type", "application/json");
      http.getOutputStream().write("{\"user\":\"bob\",\"password\":\"builder\"}".getBytes("UTF-8"));
      // Whoever is not logged in gets no token, and the client stops until the next login.
      if (http.getResponseCode() == 401) return null;
      return new BufferedReader(new InputStreamReader(http.getInputStream(), "UTF-8")).readLine();
    } finally {
      http.disconnect();
    }
  }
}
