package dev.detent.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a client: one that all state belongs to, and as many as wait for the network or for tools. All end a second after there is
 * nothing to do.
 */
final class Threads {
  private static final long IDLE_MS = 1000;
  private final Daemons owners = new Daemons("detent");
  private final ScheduledThreadPoolExecutor owner = new ScheduledThreadPoolExecutor(1, owners);
  private final ThreadPoolExecutor others =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_MS,
          TimeUnit.MILLISECONDS,
          new SynchronousQueue<Runnable>(),
          new Daemons("detent-io"));

  Threads() {
    owner.setKeepAliveTime(IDLE_MS, TimeUnit.MILLISECONDS);
    owner.allowCoreThreadTimeOut(true);
  }

  private static final class Daemons implements ThreadFactory {
    private final String name;
    private final List<Thread> all = new ArrayList<Thread>();
    volatile Thread last;

    Daemons(String name) {
      this.name = name;
    }

    @Override
    public synchronized Thread newThread(Runnable task) {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      last = thread;
      for (int i = all.size() - 1; i >= 0; i--) if (all.get(i).getState() == Thread.State.TERMINATED) all.remove(i);
      all.add(thread);
      return thread;
    }

    /** Waits until all have ended, but for the one that waits. */
    void join(long until) throws InterruptedException {
      Thread[] left;
      synchronized (this) {
        left = all.toArray(new Thread[0]);
      }
      for (Thread one : left)
        if (one != Thread.currentThread()) one.join(Math.max(1, (until - System.nanoTime()) / 1000000));
    }
  }

  /** A thread for the callbacks of an app that gave no executor. */
  static ThreadPoolExecutor forCallbacks() {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_MS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<Runnable>(),
            new Daemons("detent-callbacks"));
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /** Does it where the state belongs. Does nothing after the end. */
  void act(Runnable task) {
    later(task, 0);
  }

  void later(Runnable task, long ms) {
    try {
      owner.schedule(task, ms, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException ended) {
      // Nothing is left to do.
    }
  }

  /** @return what it found where the state belongs */
  <T> T ask(Callable<T> task) throws InterruptedException {
    try {
      return Thread.currentThread() == owners.last ? task.call() : owner.submit(task).get();
    } catch (RejectedExecutionException ended) {
      throw new InterruptedException();
    } catch (InterruptedException ended) {
      throw ended;
    } catch (ExecutionException failed) {
      throw new IllegalStateException(failed.getCause());
    } catch (Exception failed) {
      throw new IllegalStateException(failed);
    }
  }

  void spawn(Runnable task) {
    try {
      others.execute(task);
    } catch (RejectedExecutionException ended) {
      // Nothing is left to do.
    }
  }

  /** Interrupts all, and waits until they have ended. */
  void end(long ms) throws InterruptedException {
    long until = System.nanoTime() + ms * 1000000;
    owner.shutdownNow();
    others.shutdownNow();
    owners.join(until);
    ((Daemons) others.getThreadFactory()).join(until);
  }

  static void end(ThreadPoolExecutor executor, long ms) throws InterruptedException {
    executor.shutdownNow();
    ((Daemons) executor.getThreadFactory()).join(System.nanoTime() + ms * 1000000);
  }
}
