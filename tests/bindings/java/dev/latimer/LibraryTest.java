package dev.latimer;

import static dev.latimer.Program.MODEL;
import static dev.latimer.Program.WORK;
import static dev.latimer.Program.translation;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/** Where the library is found, each in a JVM of its own. */
public class LibraryTest {
  private static final String TEXT = "Good morning.";

  /** What those JVMs run: prints a translation, and which library is mapped. */
  public static void main(String[] arguments) throws Exception {
    try (Translator translator = Translator.load(new File(arguments[0]))) {
      System.out.println(translator.translate(TEXT).text());
    }
    for (String line : Files.readAllLines(Paths.get("/proc/self/maps"))) {
      int path = line.indexOf('/');
      if (!line.contains("liblatimer_jni.so")) continue;
      System.out.println(line.substring(path));
      return;
    }
  }

  @Test
  public void itIsInTheJarAndLeavesNothingBehind() throws Exception {
    Path temporary = Files.createTempDirectory(WORK, "tmp");
    String said = run("-Djava.library.path=" + temporary, "-Djava.io.tmpdir=" + temporary);
    assertTrue(said, said.contains(translation(TEXT) + "\n" + temporary + "/latimer"));
    Files.delete(temporary); // Because it is empty.
  }

  @Test
  public void aFolderThatIsNamedComesFirst() throws Exception {
    Path folder = Files.createTempDirectory(WORK, "lib");
    Path library = folder.resolve("liblatimer_jni.so");
    Path built = Paths.get(System.getProperty("java.library.path"), "liblatimer_jni.so");
    Files.copy(built, library);
    for (String property : new String[] {"latimer.library.path", "java.library.path"}) {
      String said = run("-D" + property + "=" + folder);
      assertTrue(said, said.contains(translation(TEXT) + "\n" + library));
    }
    Files.delete(library);
    String said = run("-Dlatimer.library.path=" + folder);
    assertTrue(said, said.contains(library.toString()));
    assertFalse(said, said.contains(translation(TEXT)));
  }

  @Test
  public void whatCannotBeLoadedIsASentence() throws Exception {
    String said = run("-Djava.library.path=/nowhere", "-Dos.arch=pdp11");
    assertTrue(said, said.contains("the jar has no /META-INF/native/linux-pdp11/liblatimer_jni.so"));
    assertTrue(said, said.contains("name the library's folder with -Dlatimer.library.path"));
    said = run("-Djava.library.path=/nowhere", "-Djava.io.tmpdir=/nowhere");
    assertTrue(said, said.contains("another temporary one with -Djava.io.tmpdir"));
  }

  private static String run(String... properties) throws Exception {
    Path java = Paths.get(System.getProperty("java.home"), "bin", "java");
    List<String> words = new ArrayList<>(Arrays.asList(java.toString(), "-Dfile.encoding=UTF-8"));
    words.addAll(Arrays.asList(properties));
    words.addAll(Arrays.asList("-cp", System.getProperty("java.class.path")));
    words.addAll(Arrays.asList("dev.latimer.LibraryTest", MODEL.toString()));
    Path output = WORK.resolve("said");
    new ProcessBuilder(words)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start()
        .waitFor();
    return String.join("\n", Files.readAllLines(output));
  }
}
