package dev.latimer;

import static org.junit.Assert.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The programs that the binding is compared with. Properties: model, root (of the source), latimer
 * and convert (programs), work (a folder).
 */
final class Program {
  static final File MODEL = new File(System.getProperty("model"));
  static final Path ROOT = Paths.get(System.getProperty("root"));
  static final Path WORK = Paths.get(System.getProperty("work"));
  static final Path DEMO = ROOT.resolve("examples/en-de");

  private Program() {}

  static List<String> testLines(int count) throws IOException {
    return Files.readAllLines(DEMO.resolve("data/test.en")).subList(0, count);
  }

  /** The demo model's translation of a text that tests/data/demo_texts.tsv has. */
  static String translation(String source) {
    try {
      for (String line : Files.readAllLines(ROOT.resolve("tests/data/demo_texts.tsv"))) {
        String[] fields = line.split("\t");
        if (fields.length == 2 && fields[0].equals(source)) return fields[1];
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("demo_texts.tsv lacks " + source);
  }

  /** The lines that `latimer COMMAND MODEL ARGUMENTS` writes for these. */
  static List<String> latimer(List<String> lines, String command, Object... arguments)
      throws Exception {
    return run(String.join("\n", lines) + "\n", "latimer", command, arguments);
  }

  /** What a program that a property names writes, without standard error. */
  static List<String> run(String text, String program, String command, Object... arguments)
      throws Exception {
    Path input = WORK.resolve("input");
    Files.write(input, text.getBytes(StandardCharsets.UTF_8));
    List<String> words = new ArrayList<>(Arrays.asList(System.getProperty(program), command));
    for (Object argument : arguments) words.add(argument.toString());
    Path output = WORK.resolve("output");
    Process process =
        new ProcessBuilder(words)
            .redirectInput(input.toFile())
            .redirectOutput(output.toFile())
            .redirectError(WORK.resolve("errors").toFile())
            .start();
    assertEquals(
        String.join("\n", Files.readAllLines(WORK.resolve("errors"))), 0, process.waitFor());
    return Files.readAllLines(output);
  }

  static String repeat(String text, int count) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < count; ++i) all.append(text);
    return all.toString();
  }

  /** A reader that gives one char at a time. */
  static Reader oneByOne(String text) {
    return new StringReader(text) {
      @Override
      public int read(char[] to, int offset, int length) throws IOException {
        return super.read(to, offset, 1);
      }
    };
  }
}
