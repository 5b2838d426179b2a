package dev.latimer;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Finds {@code liblatimer_jni.so}: in the folder that {@code -Dlatimer.library.path} names, where
 * Java looks ({@code -Djava.library.path}, the libraries of an app), or in the jar.
 */
final class NativeLibrary {
  private static final String NAME = "latimer_jni";

  private NativeLibrary() {}

  static void load() {
    String folder = System.getProperty("latimer.library.path");
    if (folder != null) {
      System.load(new File(folder, System.mapLibraryName(NAME)).getAbsolutePath());
      return;
    }
    try {
      System.loadLibrary(NAME);
    } catch (UnsatisfiedLinkError absent) {
      String path = pathInJar();
      InputStream library = NativeLibrary.class.getResourceAsStream(path);
      if (library == null) {
        throw new UnsatisfiedLinkError(
            absent.getMessage()
                + ", and the jar has no "
                + path
                + ": name the library's folder with -Dlatimer.library.path.");
      }
      InJar.load(library);
    }
  }

  private static String pathInJar() {
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    if (arch.equals("amd64")) arch = "x86_64";
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT).replace(' ', '_');
    return "/META-INF/native/" + os + "-" + arch + "/" + System.mapLibraryName(NAME);
  }

  /** A class of its own, because Android has no java.nio.file before version 8. */
  private static final class InJar {
    /** By way of a file in a folder of this user's only, which is deleted once it is loaded. */
    static void load(InputStream library) {
      try (InputStream in = library) {
        Path folder = Files.createTempDirectory("latimer");
        Path file = folder.resolve(System.mapLibraryName(NAME));
        try {
          Files.copy(in, file);
          System.load(file.toString());
        } finally {
          Files.deleteIfExists(file);
          Files.delete(folder);
        }
      } catch (IOException | UnsatisfiedLinkError error) {
        UnsatisfiedLinkError failure =
            new UnsatisfiedLinkError(
                "The library in the jar cannot be loaded by way of a temporary file: name its"
                    + " folder with -Dlatimer.library.path, or another temporary one with"
                    + " -Djava.io.tmpdir ("
                    + error
                    + ").");
        failure.initCause(error);
        throw failure;
      }
    }
  }
}
