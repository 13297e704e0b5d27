package dev.detent;

/** What an answer was worth to its user. */
public enum Thumb {
  UP,
  DOWN
}
