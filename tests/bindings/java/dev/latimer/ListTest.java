// Tests bindings/java/latimer_jni_translate.cc.
package dev.latimer;

import static dev.latimer.Program.MODEL;
import static dev.latimer.Program.latimer;
import static dev.latimer.Program.repeat;
import static dev.latimer.Program.testLines;
import static dev.latimer.Program.translation;
import static java.util.stream.Collectors.toList;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

/** Lists of texts, which are translated side by side. */
public class ListTest {
  private static final String LONG_TEXT = repeat("I read a book. ", 200);

  private static Translator one;
  private static Translator eight; // Lanes.

  @BeforeClass
  public static void load() {
    one = Translator.load(MODEL);
    eight = Translator.load(MODEL, new LoadOptions().lanes(8).beams(4));
  }

  @AfterClass
  public static void close() {
    one.close();
    eight.close();
  }

  @Test
  public void textsAreThoseOfTheCommandLine() throws Exception {
    List<String> lines = new ArrayList<>(testLines(200));
    lines.set(3, "");
    lines.set(7, LONG_TEXT + "\uD83D\uDE00");
    List<String> expected = latimer(lines, "translate", MODEL);
    for (Translator translator : Arrays.asList(one, eight)) {
      List<Translation> got = translator.translateAll(lines);
      assertEquals(expected, texts(got));
      assertTrue(got.get(7).parts() > 1);
      assertEquals(lines.get(7).length(), got.get(7).sourceLength());
    }
    assertEquals(Collections.emptyList(), eight.translateAll(Collections.emptyList()));
  }

  @Test
  public void eachIsWhatItIsAlone() throws Exception {
    List<String> lines = new ArrayList<>(testLines(30));
    lines.add(5, LONG_TEXT);
    List<TranslateOptions> all =
        Arrays.asList(
            options().scores(true).alignment(true),
            options().beams(4).nBest(3),
            options().budgetTokens(60),
            options().terms(Collections.singletonMap("Tom", "Thomas")).protect(true));
    for (TranslateOptions options : all) {
      List<Translation> got = eight.translateAll(lines, options);
      for (int i = 0; i < lines.size(); ++i) {
        Translation alone = eight.translate(lines.get(i), options);
        Translation beside = got.get(i);
        assertEquals(alone.text(), beside.text());
        assertArrayEquals(alone.tokens(), beside.tokens());
        assertArrayEquals(alone.sourceTokens(), beside.sourceTokens());
        assertEquals(alone.stopReason(), beside.stopReason());
        assertEquals(alone.sourceLength(), beside.sourceLength());
        assertArrayEquals(alone.logProbabilities(), beside.logProbabilities(), 0);
        assertEquals(links(alone), links(beside));
        assertEquals(alone.hypotheses().size(), beside.hypotheses().size());
      }
    }
  }

  @Test
  public void eachHasItsAttention() throws Exception {
    List<String> lines = testLines(20);
    TranslateOptions options = options().attention(AttentionKind.CROSS);
    List<Translation> got = eight.translateAll(lines, options);
    for (int i = 0; i < lines.size(); ++i) {
      Attention alone = eight.translate(lines.get(i), options).attention();
      Attention beside = got.get(i).attention();
      for (int row = 0; row < got.get(i).tokens().length; ++row) {
        assertArrayEquals(alone.row(0, 0, row), beside.row(0, 0, row), 0);
      }
    }
  }

  @Test
  public void eachIsDrawnByItsNumber() throws Exception {
    List<String> lines = testLines(20);
    List<String> expected = latimer(lines, "translate", MODEL, "--sample", "--seed", 3);
    assertEquals(expected, texts(eight.translateAll(lines, options().sample(true).seed(3))));
    TranslateOptions third = options().sample(true).seed(3).stream(3);
    assertEquals(
        expected.subList(2, 20), texts(eight.translateAll(lines.subList(2, 20), third)));
  }

  @Test
  public void whatIsOfOneTextIsRefused() {
    List<String> texts = Arrays.asList("Hello.", "Bye.");
    assertThrows(
        IllegalArgumentException.class,
        () -> eight.translateAll(texts, options().listener((index, token) -> true)));
    assertThrows(
        IllegalArgumentException.class,
        () -> eight.translateAll(texts, options().protectedRanges(0, 2)));
    assertThrows(
        LatimerException.class, () -> eight.translateAll(texts, options().targetLanguage("deu")));
    NullPointerException missing =
        assertThrows(
            NullPointerException.class, () -> eight.translateAll(Arrays.asList("Hello.", null)));
    assertEquals("texts[1] is null", missing.getMessage());
    assertEquals(translation("Good morning."), eight.translate("Good morning.").text());
  }

  @Test
  public void cancellingEndsAll() throws Exception {
    List<String> texts = Collections.nCopies(2000, LONG_TEXT);
    Thread canceller =
        new Thread(
            () -> {
              try {
                Thread.sleep(300);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              eight.cancel();
            });
    canceller.start();
    List<Translation> got = eight.translateAll(texts);
    canceller.join();
    assertEquals(2000, got.size());
    for (Translation of : got.subList(1000, 2000)) {
      assertEquals(StopReason.CANCELLED, of.stopReason());
      assertEquals("", of.text());
      assertEquals(0, of.sourceLength());
      assertNull(of.attention());
    }
    assertEquals(translation("Good morning."), eight.translate("Good morning.").text());
  }

  @Test
  public void anInterruptEndsAllAndStays() throws Exception {
    Thread reader = Thread.currentThread();
    Thread interrupter =
        new Thread(
            () -> {
              try {
                Thread.sleep(200);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              reader.interrupt();
            });
    interrupter.start();
    List<Translation> got = eight.translateAll(Collections.nCopies(2000, LONG_TEXT));
    assertTrue(Thread.interrupted());
    assertEquals(StopReason.CANCELLED, got.get(1999).stopReason());
    interrupter.join();
    assertEquals(translation("Good morning."), eight.translate("Good morning.").text());

    reader.interrupt(); // Before a call: the call ends at once.
    assertEquals(StopReason.CANCELLED, eight.translate("Good morning.").stopReason());
    TranslateOptions plain = new TranslateOptions();
    assertThrows(CancellationException.class, () -> eight.translateHtml("<p>Hello.", plain));
    assertTrue(Thread.interrupted());
    assertEquals("<p>Guten Morgen.", eight.translateHtml("<p>Good morning.", plain));
  }

  @Test
  public void aPoolTranslatesOnSeveralThreads() throws Exception {
    List<String> lines = testLines(60);
    List<String> expected = texts(eight.translateAll(lines));
    TranslateOptions plain = new TranslateOptions();
    TranslatorPool pool = TranslatorPool.load(MODEL, new LoadOptions(), 2);
    assertEquals("TranslatorPool[2 x Translator[" + MODEL.getPath() + "]]", pool.toString());
    List<String> got =
        lines.parallelStream().map(line -> pool.translate(line).text()).collect(toList());
    assertEquals(expected, got);
    assertEquals(expected, texts(pool.translateAll(lines, plain)));
    assertEquals("<p>Guten Morgen.", pool.translateHtml("<p>Good morning.", plain));

    List<Thread> threads = new ArrayList<>(); // More than there are translators.
    List<StopReason> reasons = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 4; ++i) {
      threads.add(
          new Thread(
              () -> reasons.add(pool.translate(repeat(LONG_TEXT, 50), plain).stopReason())));
    }
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.interrupt();
    for (Thread thread : threads) thread.join();
    assertEquals(Collections.nCopies(4, StopReason.CANCELLED), reasons);
    pool.close();
    assertThrows(IllegalStateException.class, () -> pool.translate("Hello."));
    assertThrows(
        IllegalArgumentException.class, () -> TranslatorPool.load(MODEL, new LoadOptions(), 0));
  }

  private static List<String> texts(List<Translation> translations) {
    List<String> texts = new ArrayList<>();
    for (Translation translation : translations) texts.add(translation.text());
    return texts;
  }

  private static List<List<Integer>> links(Translation of) {
    if (of.alignment() == null) return null;
    List<List<Integer>> links = new ArrayList<>();
    for (TokenLink link : of.alignment()) {
      links.add(
          Arrays.asList(
              link.targetBegin(), link.targetEnd(), link.sourceBegin(), link.sourceEnd()));
    }
    return links;
  }

  private static TranslateOptions options() {
    return new TranslateOptions();
  }
}
