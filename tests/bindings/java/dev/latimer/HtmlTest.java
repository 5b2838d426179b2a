// Tests bindings/java/latimer_jni_translate.cc.
package dev.latimer;

import static dev.latimer.Program.MODEL;
import static dev.latimer.Program.latimer;
import static dev.latimer.Program.oneByOne;
import static dev.latimer.Program.repeat;
import static dev.latimer.Program.testLines;
import static dev.latimer.Program.translation;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** HTML, and two models one after the other, beside what the command line gives. */
public class HtmlTest {
  private static final String HTML =
      "<p>I have <b>not read</b> the <i>book</i> yet.</p>\n"
          + "<p>Good morning.<br><img src=\"a&amp;b\"> 1 &lt; 2 &nbsp; \u00fc \uD83D\uDE00</p>";

  private Translator translator;

  @Before
  public void load() {
    translator = Translator.load(MODEL);
  }

  @After
  public void close() {
    translator.close();
  }

  @Test
  public void htmlIsThatOfTheProgram() throws Exception {
    String expected = String.join("\n", latimer(Arrays.asList(HTML), "translate", MODEL, "--html"));
    assertEquals(expected, translator.translateHtml(HTML, options()).trim());
    StringBuilder out = new StringBuilder();
    translator.translateHtml(oneByOne(HTML), options(), out);
    assertEquals(expected, out.toString().trim());
    try (Translator many = Translator.load(MODEL, new LoadOptions().lanes(8).beams(2))) {
      assertEquals(expected, many.translateHtml(HTML, options()).trim());
      assertEquals(
          latimer(Arrays.asList(HTML), "translate", MODEL, "--html", "--beams", 2),
          Arrays.asList(many.translateHtml(HTML, options().beams(2)).trim().split("\n")));
    }
    assertEquals("", translator.translateHtml("", options()));
  }

  @Test
  public void htmlWithTwoModelsIsThatOfTheProgram() throws Exception {
    try (Translator second = Translator.load(MODEL)) {
      String between = translator.translateHtml(HTML, options());
      assertEquals(
          String.join("\n", latimer(Arrays.asList(HTML), "translate", MODEL, MODEL, "--html")),
          second.translateHtml(between, options()).trim());
    }
  }

  @Test
  public void htmlEndsWhenItIsCancelled() throws Exception {
    String page = repeat(HTML, 300);
    assertThrows(
        CancellationException.class,
        () -> translator.translateHtml(page, options().listener((index, token) -> false)));
    StringBuilder out = new StringBuilder();
    TokenListener cancelling =
        (index, token) -> {
          translator.cancel();
          return true;
        };
    assertThrows(
        CancellationException.class,
        () ->
            translator.translateHtml(
                new StringReader(page), options().listener(cancelling), out));
    assertTrue(out.length() < page.length() / 2);
    TokenListener throwing =
        (index, token) -> {
          throw new IllegalArgumentException("mine");
        };
    for (int lanes : new int[] {1, 8}) { // Sentences are under way.
      try (Translator many = Translator.load(MODEL, new LoadOptions().lanes(lanes))) {
        assertThrows(
            IllegalArgumentException.class,
            () -> many.translateHtml(page, options().listener(throwing)));
        assertThrows(
            IOException.class,
            () -> many.translateHtml(new StringReader(page), options(), new FullWriter()));
        assertEquals(translation("Good morning."), many.translate("Good morning.").text());
      }
    }
  }

  @Test
  public void htmlRefusesWhatItCannotDo() {
    String page = "<p>Hi <b>{name}</b>.</p>";
    String kept = translator.translateHtml(page, options().protect(true));
    assertTrue(kept, kept.contains("<b>{name}</b>"));
    Reader none = null;
    assertThrows(
        NullPointerException.class,
        () -> translator.translateHtml(none, options(), new StringBuilder()));
    assertThrows(
        NullPointerException.class,
        () -> translator.translateHtml(new StringReader("a"), options(), null));
    assertEquals(translation("Good morning."), translator.translateHtml("Good morning.", options()));
  }

  // ---- Two models ----

  @Test
  public void pivotIsThatOfTheProgram() throws Exception {
    List<String> lines = new ArrayList<>(testLines(20));
    lines.add(String.join(" ", testLines(60)));
    lines.add("");
    List<String> found = new ArrayList<>();
    try (Translator second = Translator.load(MODEL)) {
      Pivot pivot = new Pivot(translator, second);
      for (String line : lines) {
        Translation t = pivot.translate(line);
        found.add(t.text());
        assertEquals(line.length(), t.sourceLength());
        assertEquals(StopReason.EOS, t.stopReason());
      }
      assertEquals(latimer(lines, "translate", MODEL, MODEL), found);

      String text = lines.get(0);
      Translation first = translator.translate(text);
      Translation two = second.translate(first.text(), options().scores(true));
      Translation both = pivot.translate(text, options(), options().scores(true));
      assertEquals(first.generatedTokens() + two.generatedTokens(), both.generatedTokens());
      assertEquals(two.meanScore(), both.meanScore(), 0);
      assertEquals(
          StopReason.LENGTH_LIMIT,
          pivot.translate(text, options().maxTargetTokens(2), options()).stopReason());
      Translation cancelled =
          pivot.translate(text, options().listener((index, token) -> false), options());
      assertEquals(StopReason.CANCELLED, cancelled.stopReason());
      assertEquals("", cancelled.text());

      TranslateOptions wrong = options().targetLanguage("xyz_Latn");
      assertTrue(
          message(() -> pivot.translate(text, wrong, options())).startsWith("First model: "));
      assertTrue(
          message(() -> pivot.translate(text, options(), wrong)).startsWith("Second model: "));
    }
    assertThrows(NullPointerException.class, () -> new Pivot(translator, null));
  }

  // ---- Helpers ----

  private static TranslateOptions options() {
    return new TranslateOptions();
  }

  private static String message(Runnable call) {
    return assertThrows(LatimerException.class, call::run).getMessage();
  }

  /** Has room for nothing. */
  private static final class FullWriter extends Writer {
    @Override
    public void write(char[] from, int offset, int length) throws IOException {
      if (length > 0) throw new IOException("full");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
