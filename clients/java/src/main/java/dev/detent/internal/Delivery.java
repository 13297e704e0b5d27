package dev.detent.internal;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Calls listeners and callbacks one at a time and in order, on the executor of the app. */
final class Delivery implements Runnable {
  private final Executor executor;
  private final ArrayDeque<Runnable> queue = new ArrayDeque<Runnable>();
  private boolean isScheduled;
  private boolean isOver;

  Delivery(Executor executor) {
    this.executor = executor;
  }

  /** @return false after the end */
  boolean post(Runnable task) {
    synchronized (queue) {
      if (isOver) return false;
      queue.add(task);
      if (isScheduled) return true;
      isScheduled = true;
    }
    schedule();
    return true;
  }

  /** Returns when it was done. */
  void perform(final Runnable task) throws InterruptedException {
    final CountDownLatch done = new CountDownLatch(1);
    Runnable all =
        new Runnable() {
          @Override
          public void run() {
            try {
              task.run();
            } finally {
              done.countDown();
            }
          }
        };
    if (!post(all)) throw new InterruptedException();
    done.await();
  }

  /** Calls nobody any more. */
  void end() {
    synchronized (queue) {
      isOver = true;
      queue.clear();
    }
  }

  private void schedule() {
    try {
      executor.execute(this);
    } catch (RejectedExecutionException ended) {
      end();
    }
  }

  /** Performs one task, so that a main thread can draw between two. */
  @Override
  public void run() {
    Runnable task;
    synchronized (queue) {
      task = queue.poll();
    }
    try {
      if (task != null) task.run();
    } finally {
      boolean isMore;
      synchronized (queue) {
        isMore = !queue.isEmpty();
        isScheduled = isMore;
      }
      if (isMore) schedule();
    }
  }
}
