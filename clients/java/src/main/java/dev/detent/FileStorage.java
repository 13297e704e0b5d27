package dev.detent;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;

/** A file for each name, in a folder of its own. It is replaced as a whole, so that a crash leaves the old or the new one. */
public final class FileStorage implements Storage {
  private static final Charset UTF_8 = Charset.forName("UTF-8");
  private final File folder;

  /** @param folder of the app's own; on Android, one in {@code context.getFilesDir()} */
  public FileStorage(File folder) {
    this.folder = folder;
  }

  @Override
  public String read(String name) throws IOException {
    File file = new File(folder, name);
    if (!file.exists()) return null;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    InputStream in = new FileInputStream(file);
    try {
      byte[] buffer = new byte[8192];
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) bytes.write(buffer, 0, count);
    } finally {
      in.close();
    }
    return new String(bytes.toByteArray(), UTF_8);
  }

  @Override
  public void write(String name, String value) throws IOException {
    File file = new File(folder, name);
    if (value == null) {
      if (!file.delete() && file.exists()) throw new IOException("cannot delete " + file);
      return;
    }
    if (!folder.isDirectory() && !folder.mkdirs() && !folder.isDirectory()) throw new IOException("cannot make " + folder);
    File draft = new File(folder, name + ".new");
    FileOutputStream out = new FileOutputStream(draft);
    try {
      out.write(value.getBytes(UTF_8));
      out.getFD().sync();
    } finally {
      out.close();
    }
    // Windows does not replace a file.
    if (!draft.renameTo(file) && !(file.delete() && draft.renameTo(file))) throw new IOException("cannot write " + file);
  }
}
