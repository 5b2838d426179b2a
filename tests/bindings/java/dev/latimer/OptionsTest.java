// Tests bindings/java/latimer_jni_options.cc,
// bindings/java/latimer_jni_translate.cc.
package dev.latimer;

import static dev.latimer.Program.DEMO;
import static dev.latimer.Program.MODEL;
import static dev.latimer.Program.WORK;
import static dev.latimer.Program.latimer;
import static dev.latimer.Program.repeat;
import static dev.latimer.Program.testLines;
import static dev.latimer.Program.translation;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

/** Options of a translation and what it tells, beside what the command line gives. */
public class OptionsTest {
  private static final String LONG =
      repeat("The weather is nice today, and we are going to the market. ", 40);

  private static Translator translator; // Has room for beams.
  private static Translator source; // Lacks the target's tokenizer.

  @BeforeClass
  public static void load() throws Exception {
    translator = Translator.load(MODEL, new LoadOptions().beams(4));
    File model = WORK.resolve("source.ltm").toFile();
    Program.run("", "convert", DEMO.toString(), "-o", model, "--no-target-tokenizer", "--quiet");
    source = Translator.load(model);
  }

  @AfterClass
  public static void close() {
    translator.close();
    source.close();
  }

  // ---- The search ----

  @Test
  public void nBestOfBeamsAreThoseOfTheProgram() throws Exception {
    List<String> lines = testLines(10);
    List<String> found = new ArrayList<>();
    for (int i = 0; i < lines.size(); ++i) {
      Translation t = translator.translate(lines.get(i), options().beams(4).nBest(3));
      assertArrayEquals(t.tokens(), t.hypotheses().get(0).tokens());
      for (Hypothesis h : t.hypotheses()) {
        found.add(String.format(Locale.ROOT, "%d ||| %s ||| %.6f", i, h.text(), h.score()));
      }
    }
    assertEquals(
        latimer(lines, "translate", MODEL, "--beams", 4, "--n-best", 3), found);

    String smile = "\uD83D\uDE00";
    for (Hypothesis h :
        translator.translate("I am here " + smile + ".", options().beams(4).nBest(3)).hypotheses()) {
      assertTrue(h.text(), h.text().contains(smile));
    }
    assertEquals(smile, translator.translate(smile, options().nBest(1)).hypotheses().get(0).text());

    Translation greedy = translator.translate(lines.get(0), options().nBest(1));
    assertEquals(greedy.text(), greedy.hypotheses().get(0).text());
    assertEquals(1, greedy.hypotheses().size());
    assertTrue(translator.translate(lines.get(0)).hypotheses().isEmpty());
    int[] ids = translator.tokenize(lines.get(0));
    Translation ofIds = translator.translateIds(ids, options().beams(4).nBest(4));
    assertEquals(4, ofIds.hypotheses().size());
    assertEquals("", ofIds.hypotheses().get(0).text());
  }

  @Test
  public void searchIsThatOfTheProgram() throws Exception {
    List<String> lines = testLines(30);
    Map<String, TranslateOptions> cases = new LinkedHashMap<>();
    cases.put("--beams 3", options().beams(3));
    cases.put("--beams 4 --length-penalty 3", options().beams(4).lengthPenalty(3));
    cases.put("--beams 4 --length-penalty -2", options().beams(4).lengthPenalty(-2));
    cases.put(
        "--beams 4 --early-stopping true", options().beams(4).earlyStopping(EarlyStopping.ALWAYS));
    cases.put(
        "--beams 4 --early-stopping never --length-penalty 0.5",
        options().beams(4).earlyStopping(EarlyStopping.NEVER).lengthPenalty(0.5f));
    cases.put("--no-repeat-ngram 1", options().noRepeatNgram(1));
    cases.put("--repetition-penalty 3", options().repetitionPenalty(3));
    cases.put("--sample", options().sample(true));
    cases.put("--top-k 5 --seed 12345", options().topK(5).seed(12345));
    cases.put("--temperature 1.5 --top-p 0.9", options().temperature(1.5f).topP(0.9f));
    cases.put("--min-p 0.05 --seed 3", options().minP(0.05f).seed(3));
    checkAll(translator, MODEL, lines, cases);
    String drawn = latimer(Arrays.asList(LONG), "translate", MODEL, "--sample").get(0);
    assertEquals(drawn, translator.translate(LONG, options().sample(true)).text());
  }

  @Test
  public void whatTheCallerGivesIsThatOfTheProgram() throws Exception {
    List<String> lines = new ArrayList<>(testLines(20));
    lines.add("Tom has a house at www.host.org for {name}.");
    List<String> words = Arrays.asList("Haus", "Ich habe", "");
    Path banned = WORK.resolve("banned.txt");
    Files.write(banned, words, StandardCharsets.UTF_8);
    Map<String, String> termMap = new LinkedHashMap<>();
    termMap.put("house", "Geb\u00e4ude");
    termMap.put("Tom", "Thomas");
    Path terms = WORK.resolve("terms.tsv");
    Files.write(terms, Arrays.asList("house\tGeb\u00e4ude", "Tom\tThomas"));
    List<int[]> ids = new ArrayList<>();
    for (String word : words) ids.add(translator.tokenizeTarget(word));

    Map<String, TranslateOptions> cases = new LinkedHashMap<>();
    cases.put("--target-prefix Ich", options().targetPrefix("Ich"));
    cases.put("--banned-words " + banned, options().bannedWords(words));
    cases.put("--beams 3 --banned-words " + banned, options().beams(3).bannedIds(ids));
    cases.put("--terms " + terms + " --protect", options().terms(termMap).protect(true));
    cases.put("--protect", options().protect(true));
    checkAll(translator, MODEL, lines, cases);

    String line = lines.get(0);
    assertEquals(
        translator.translate(line, options().targetPrefix("Ich")).text(),
        translator.translate(line, options().targetPrefix(translator.tokenizeTarget("Ich"))).text());
    assertEquals( // Of the first part only.
        latimer(Arrays.asList(LONG), "translate", MODEL, "--target-prefix", "Heute").get(0),
        translator.translate(LONG, options().targetPrefix("Heute")).text());
    Translation both = // Each list replaces its own kind.
        translator.translate(
            line, options().bannedWords(words).bannedIds(ids).bannedIds(Collections.emptyList()));
    assertEquals(translator.translate(line, options().bannedWords(words)).text(), both.text());
  }

  @Test
  public void protectedRangesAreChars() throws Exception {
    String text = "\uD83D\uDE00 Wh\u00e9re is <a>? It is in <b>.";
    int a = text.indexOf("<a>");
    int b = text.indexOf("<b>");
    TranslateOptions options = options().protectedRanges(a, a + 3, b, b + 3);
    String german = translator.translate(text, options).text();
    assertTrue(german, german.contains("<a>") && german.contains("<b>"));
    assertEquals(german.indexOf("<a>"), german.lastIndexOf("<a>"));
    for (int[] wrong : new int[][] {{1, 5}, {-1, 2}, {0, text.length() + 1}, {5, 1 << 30}}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> translator.translate(text, options().protectedRanges(wrong)));
    }
    assertThrows(IllegalArgumentException.class, () -> options().protectedRanges(1, 2, 3));
    assertThrows(
        LatimerException.class,
        () -> translator.translate(text, options().protectedRanges(b, b + 3, a, a + 3)));
  }

  @Test
  public void protectedRangesAreOfTheWholeText() throws Exception {
    StringBuilder text = new StringBuilder();
    int[] ends = new int[400];
    for (int i = 0; i < 200; ++i) {
      text.append("I read ");
      ends[2 * i] = text.length();
      text.append("ACME-\u00dc" + (100 + i));
      ends[2 * i + 1] = text.length();
      text.append(" today. ");
    }
    Path patterns = WORK.resolve("patterns.txt");
    Files.write(patterns, Arrays.asList("ACME-*"));
    List<String> expected =
        latimer(
            Arrays.asList(text.toString()), "translate", MODEL, "--protect-also", patterns);
    Translation found = translator.translate(text.toString(), options().protectedRanges(ends));
    assertTrue(found.parts() > 1);
    assertEquals(expected.get(0), found.text());
  }

  @Test
  public void partsAreDrawnAndLimitedAsTheProgramDoes() throws Exception {
    TranslateOptions options = options().sample(true).seed(4);
    long budget = Long.MAX_VALUE; // Ends each text in its last part.
    for (int i = 1; i <= 2; ++i) {
      budget = Math.min(budget, translator.translate(LONG, options.stream(i)).generatedTokens());
    }
    budget -= 5;
    List<String> expected =
        latimer(
            Arrays.asList(LONG, LONG),
            "translate", MODEL, "--sample", "--seed", 4, "--budget-tokens", budget);
    options.budgetTokens((int) budget);
    for (int i = 1; i <= 2; ++i) {
      Translation found = translator.translate(LONG, options.stream(i));
      assertTrue(found.parts() > 1);
      assertEquals(StopReason.BUDGET, found.stopReason());
      assertEquals(expected.get(i - 1), found.text());
    }
  }

  @Test
  public void budgetsAreForAllParts() throws Exception {
    Translation whole = translator.translate(LONG);
    assertTrue(whole.parts() > 1);
    assertEquals(whole.tokens().length, whole.generatedTokens());
    for (long budget : new long[] {1, 40, 200, whole.generatedTokens()}) {
      Translation part = translator.translate(LONG, options().budgetTokens((int) budget));
      Map<?, ?> expected = json(LONG, MODEL, "--budget-tokens", budget);
      assertEquals(expected.get("text"), part.text());
      assertEquals(
          expected.get("stop_reason"), part.stopReason().toString().toLowerCase(Locale.ROOT));
      assertTrue(part.generatedTokens() <= budget);
    }
    assertEquals(whole.text(), translator.translate(LONG, options().budgetMillis(60000)).text());
  }

  // ---- What a translation tells ----

  @Test
  public void scoresAreThoseOfTheProgram() throws Exception {
    List<String> lines = new ArrayList<>(testLines(20));
    lines.add(LONG);
    lines.add("");
    for (String line : lines) {
      Translation t = translator.translate(line, options().scores(true));
      Map<?, ?> expected = json(line, MODEL);
      List<?> tokens = (List<?>) expected.get("tokens");
      assertEquals(tokens.size(), t.tokens().length);
      for (int i = 0; i < tokens.size(); ++i) {
        Map<?, ?> token = (Map<?, ?>) tokens.get(i);
        assertEquals(number(token, "id"), t.tokens()[i], 0);
        assertEquals(token.get("piece"), translator.targetPiece(t.tokens()[i]));
        assertEquals(number(token, "score"), t.logProbabilities()[i], 2e-6);
        assertTrue(t.margins()[i] >= 0);
      }
      List<?> words = (List<?>) expected.get("words");
      assertEquals(words.size(), t.words().size());
      for (int i = 0; i < words.size(); ++i) {
        Map<?, ?> word = (Map<?, ?>) words.get(i);
        assertEquals(word.get("text"), t.words().get(i).text());
        assertEquals(number(word, "score"), t.words().get(i).score(), 2e-6);
      }
      if (tokens.isEmpty()) continue;
      assertEquals(number(expected, "score"), t.score(), 1e-4);
      assertEquals(number(expected, "mean_score"), t.meanScore(), 1e-5);
    }
    Translation plain = translator.translate(lines.get(0));
    assertNull(plain.words());
    assertTrue(Double.isNaN(plain.meanScore()));
    int[] ids = translator.tokenize(lines.get(0));
    assertNull(translator.translateIds(ids, options().scores(true)).words());
    assertArrayEquals(ids, plain.sourceTokens());
  }

  /** A model for which a text of more than 48 tokens has parts. */
  private static Translator shortTranslator(File model) throws Exception {
    Path tiny = DEMO.resolveSibling("en-de-tiny");
    Program.run(
        "", "convert", tiny.toString(), "-o", model, "--quiet", "--max-source-tokens", 48,
        "--max-target-tokens", 48);
    return Translator.load(model, new LoadOptions().beams(2));
  }

  @Test
  public void whatATranslationTellsIsOfAllParts() throws Exception {
    StringBuilder three = new StringBuilder();
    for (int i = 0; i < 8; ++i) three.append("Where is the station? ");
    for (int i = 0; i < 11; ++i) three.append("She reads a good book. ");
    String text = three.toString();
    File model = WORK.resolve("short.ltm").toFile();
    try (Translator shorter = shortTranslator(model)) {
      Translation t =
          shorter.translate(text, options().beams(2).nBest(2).scores(true).alignment(true));
      assertEquals(19, t.parts());
      Map<?, ?> expected = json(text, model, "--beams", 2, "--n-best", 2);
      assertEquals(expected.get("text"), t.text());
      assertEquals(((List<?>) expected.get("tokens")).size(), t.tokens().length);
      assertEquals(((List<?>) expected.get("words")).size(), t.words().size());
      assertEquals(number(expected, "mean_score"), t.meanScore(), 1e-5);
      assertTrue(t.tokens().length <= t.alignment().size());
      TokenLink first = t.alignment().get(0);
      assertEquals("Where", text.substring(first.sourceBegin(), first.sourceEnd()));
      List<?> best = (List<?>) expected.get("n_best");
      assertEquals(best.size(), t.hypotheses().size());
      for (int i = 0; i < best.size(); ++i) {
        Map<?, ?> one = (Map<?, ?>) best.get(i);
        assertEquals(one.get("text"), t.hypotheses().get(i).text());
        assertEquals(number(one, "score"), t.hypotheses().get(i).score(), 1e-5);
      }
      assertArrayEquals(t.tokens(), t.hypotheses().get(0).tokens());
      Translation greedy = shorter.translate(text, options().beams(1).nBest(1));
      assertEquals(greedy.text(), greedy.hypotheses().get(0).text());

      // Each part has attention of its own.
      TranslateOptions attends = options().attention(AttentionKind.CROSS);
      Translation whole = shorter.translate(text, attends);
      assertEquals(3, whole.parts());
      assertNull(whole.attention());
      assertTrue(shorter.translate("Where is the station?", attends).attention().rows() > 0);

      // Words of all parts, or none.
      String spans = text + "Please open {\u0416\u4e2d}.";
      assertTrue(
          shorter.translate(spans, options().protect(true).scores(true)).words().isEmpty());
    }
  }

  @Test
  public void alignmentIsOfChars() throws Exception {
    List<String> texts = new ArrayList<>(testLines(30));
    texts.add("\uD83D\uDE00 \u201eThis is a good book.\u201c It is \u00c4.");
    texts.add(String.join(" ", testLines(80)));
    Set<String> pairs = new HashSet<>();
    for (String text : texts) {
      Translation t = translator.translate(text, options().alignment(true));
      Set<String> sources = new HashSet<>(Arrays.asList("", "\uD83D\uDE00")); // No piece.
      for (int id : t.sourceTokens()) sources.add(translator.sourcePiece(id).replace("\u2581", ""));
      int token = 0;
      for (TokenLink link : t.alignment()) {
        String to = t.text().substring(link.targetBegin(), link.targetEnd());
        String from = text.substring(link.sourceBegin(), link.sourceEnd());
        if (to.equals("\uD83D\uDE00") && from.equals(to)) continue; // Of no token.
        String piece = translator.targetPiece(t.tokens()[token++]).replace("\u2581", "");
        assertTrue(to + " " + piece, to.isEmpty() || to.equals(piece));
        assertTrue(from, sources.contains(from));
        pairs.add(from + " " + to);
      }
      assertEquals(t.tokens().length, token);
      if (t.parts() == 1) continue;
      TokenLink last = t.alignment().get(t.alignment().size() - 2); // Before EOS.
      assertTrue(last.sourceBegin() > text.length() * 3 / 4);
      assertEquals(t.text().length(), last.targetEnd());
    }
    assertTrue(pairs.contains("book Buch"));
    assertNull(translator.translate("Hello.").alignment());
    assertNull(translator.translateIds(new int[] {1}, options().alignment(true)).alignment());
    assertTrue(translator.translate("", options().alignment(true)).alignment().isEmpty());
  }

  @Test
  public void attentionIsThatOfTheProgram() throws Exception {
    String text = "I have not read the book yet.";
    Path file = WORK.resolve("attention.json");
    for (AttentionKind kind : AttentionKind.values()) {
      String name = kind.toString().toLowerCase(Locale.ROOT);
      latimer(
          Arrays.asList(text),
          "translate",
          MODEL,
          "--draw-attention",
          file,
          "--draw-attention-of",
          name);
      String json = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      Map<?, ?> sentence = (Map<?, ?>) ((List<?>) Json.object(json).get("sentences")).get(0);
      List<?> layers = (List<?>) sentence.get("weights");
      Attention found = translator.translate(text, options().attention(kind)).attention();
      assertEquals(kind, found.kind());
      assertEquals(layers.size(), found.layers());
      for (int layer = 0; layer < found.layers(); ++layer) {
        List<?> heads = (List<?>) layers.get(layer);
        assertEquals(heads.size(), found.heads());
        for (int head = 0; head < found.heads(); ++head) {
          List<?> rows = (List<?>) heads.get(head);
          assertEquals(rows.size(), found.rows());
          for (int row = 0; row < found.rows(); ++row) {
            List<?> columns = (List<?>) rows.get(row);
            float[] weights = found.row(layer, head, row);
            assertTrue(weights.length > 0 && weights.length <= columns.size());
            for (int i = 0; i < weights.length; ++i) {
              assertEquals((Double) columns.get(i), weights[i], 1e-5);
            }
          }
        }
      }
      assertThrows(IndexOutOfBoundsException.class, () -> found.row(0, 0, found.rows()));
    }
    assertNull(translator.translate(text).attention());
  }

  // ---- Refusals ----

  @Test
  public void refusedOptionsAreExceptionsWithASentence() {
    Map<String, TranslateOptions> refused = new LinkedHashMap<>();
    refused.put("beams 5: ", options().beams(5));
    refused.put("sample goes without beams", options().beams(2).sample(true));
    refused.put("seed is for tokens that are drawn", options().seed(4));
    refused.put("length_penalty is for a search with", options().lengthPenalty(2));
    refused.put("temperature 0.0: give a number above 0", options().temperature(0));
    refused.put("top_p -1.0: give a number above 0", options().topP(-1));
    refused.put("Prefix id", options().targetPrefix(-1));
    refused.put("Banned id", options().bannedIds(Arrays.asList(new int[] {1 << 30})));
    for (Map.Entry<String, TranslateOptions> entry : refused.entrySet()) {
      LatimerException e =
          assertThrows(
              LatimerException.class, () -> translator.translate("Hello.", entry.getValue()));
      assertEquals(LatimerException.Code.INVALID_ARGUMENT, e.code());
      assertTrue(e.getMessage(), e.getMessage().contains(entry.getKey()));
    }
    for (TranslateOptions options :
        Arrays.asList(
            options().targetPrefix("Haus"),
            options().bannedWords(Arrays.asList("Haus")),
            options().terms(Collections.singletonMap("house", "Haus")))) {
      LatimerException e =
          assertThrows(LatimerException.class, () -> source.translate("A house.", options));
      assertTrue(e.getMessage(), e.getMessage().contains("--no-target-tokenizer"));
    }
    assertThrows(LatimerException.class, () -> source.tokenizeTarget("Haus"));
    IllegalArgumentException nBest =
        assertThrows(
            IllegalArgumentException.class,
            () -> translator.translate("Hello.", options().nBest(3)));
    assertTrue(nBest.getMessage().startsWith("nBest: 3"));
    assertThrows(IllegalArgumentException.class, () -> options().beams(-1));
    assertThrows(IllegalArgumentException.class, () -> options().topK(-1));
    assertThrows(IllegalArgumentException.class, () -> options().temperature(Float.NaN));
    assertThrows(IllegalArgumentException.class, () -> new LoadOptions().lanes(0));
    assertThrows(NullPointerException.class, () -> options().terms(null));
    assertThrows(
        NullPointerException.class,
        () -> options().terms(Collections.singletonMap("house", null)));
    assertThrows(NullPointerException.class, () -> options().bannedWords(null));
    assertEquals(translation("Good morning."), translator.translate("Good morning.").text());
  }

  // ---- Memory ----

  /** The test's heap is resident from its beginning: what grows is other memory. */
  @Test
  public void callsDoNotLeak() throws Exception {
    int[] many = new int[100_000]; // 400 KB in C.
    Arrays.fill(many, 5);
    TranslateOptions options =
        options()
            .suppressed(many)
            .maxTargetTokens(2)
            .beams(2)
            .nBest(2)
            .scores(true)
            .alignment(true)
            .attention(AttentionKind.CROSS);
    for (int i = 0; i < 50; ++i) translator.translate("Hello.", options);
    long before = residentBytes();
    for (int i = 0; i < 400; ++i) {
      translator.translate("Hello.", options);
      translator.translateHtml("", options());
      Translator.load(MODEL, new LoadOptions().verifyChecksum(false)).close();
    }
    long grown = residentBytes() - before;
    assertTrue(grown + " bytes", grown < 40_000_000);
  }

  // ---- Helpers ----

  private static TranslateOptions options() {
    return new TranslateOptions();
  }

  private static void checkAll(
      Translator translator, File model, List<String> lines, Map<String, TranslateOptions> cases)
      throws Exception {
    List<String> plain = texts(lines, line -> translator.translate(line));
    for (Map.Entry<String, TranslateOptions> entry : cases.entrySet()) {
      List<Object> arguments = new ArrayList<>(Arrays.asList(model));
      arguments.addAll(Arrays.asList(entry.getKey().split(" ")));
      List<String> expected = latimer(lines, "translate", arguments.toArray());
      int[] number = {0};
      TranslateOptions options = entry.getValue();
      List<String> found =
          texts(lines, line -> translator.translate(line, options.stream(++number[0])));
      assertEquals(entry.getKey(), expected, found);
      assertNotEquals(entry.getKey(), plain, found);
    }
  }

  private static List<String> texts(List<String> lines, Function<String, Translation> translate) {
    List<String> found = new ArrayList<>();
    for (String line : lines) found.add(translate.apply(line).text());
    return found;
  }

  private static Map<?, ?> json(String line, File model, Object... arguments) throws Exception {
    List<Object> all = new ArrayList<>(Arrays.asList(model, "--json"));
    all.addAll(Arrays.asList(arguments));
    return Json.object(latimer(Arrays.asList(line), "translate", all.toArray()).get(0));
  }

  private static double number(Map<?, ?> from, String name) {
    return (Double) from.get(name);
  }

  private static long residentBytes() throws Exception {
    for (String line : Files.readAllLines(new File("/proc/self/status").toPath())) {
      if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
    }
    throw new AssertionError("VmRSS is missing.");
  }
}
