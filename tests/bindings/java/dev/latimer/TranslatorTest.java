// Tests bindings/java/latimer_jni.cc, bindings/java/latimer_jni_load.cc,
// bindings/java/latimer_jni_translate.cc.
package dev.latimer;

import static dev.latimer.Program.MODEL;
import static dev.latimer.Program.ROOT;
import static dev.latimer.Program.WORK;
import static dev.latimer.Program.latimer;
import static dev.latimer.Program.oneByOne;
import static dev.latimer.Program.repeat;
import static dev.latimer.Program.testLines;
import static dev.latimer.Program.translation;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.Reader;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** The Java binding with the demo model, beside what the command line gives. */
public class TranslatorTest {
  private static final String SENTENCE = "I have not read the book yet.";
  // No end of a sentence: translated in one call, in parts, for about a second.
  private static final String LONG_TEXT = repeat("the man reads a book and ", 5000);

  private Translator translator;

  @Before
  public void load() {
    translator = Translator.load(MODEL);
  }

  @After
  public void close() {
    translator.close();
  }

  // ---- The same answers ----

  @Test
  public void idsAreThePublishedOnes() throws Exception {
    StringBuilder ids = new StringBuilder();
    for (String line : testLines(200)) {
      int[] target = translator.translateIds(translator.tokenize(line), options()).tokens();
      ids.append(join(target)).append('\n');
    }
    assertEquals(publishedHash("int8 200"), sha256(ids.toString()));
  }

  @Test
  public void textsAreThoseOfTheCommandLine() throws Exception {
    List<String> lines = testLines(200);
    List<String> expected = latimer(lines, "translate", MODEL);
    List<String> got = new ArrayList<>();
    for (String line : lines) got.add(translator.translate(line).text());
    assertEquals(expected, got);
  }

  @Test
  public void translationHasTokensScoresAndTheReasonOfItsEnd() {
    Translation plain = translator.translate(SENTENCE);
    assertEquals(StopReason.EOS, plain.stopReason());
    assertEquals(SENTENCE.length(), plain.sourceLength());
    assertEquals(plain.tokens().length, plain.generatedTokens());
    assertEquals(plain.text(), translator.detokenize(plain.tokens()));
    assertEquals(plain.text(), plain.toString());
    assertNull(plain.logProbabilities());
    assertNull(plain.margins());
    assertTrue(Double.isNaN(plain.score()));

    Translation scored = translator.translate(SENTENCE, options().scores(true));
    assertArrayEquals(plain.tokens(), scored.tokens());
    assertEquals(scored.tokens().length, scored.logProbabilities().length);
    double sum = 0;
    for (float score : scored.logProbabilities()) {
      assertTrue(score <= 0 && score > -20);
      sum += score;
    }
    assertEquals(sum, scored.score(), 0);
    for (float margin : scored.margins()) assertTrue(margin >= 0);
  }

  @Test
  public void optionsReachTheModel() {
    int[] tokens = translator.translate(SENTENCE).tokens();
    Translation two = translator.translate(SENTENCE, options().maxTargetTokens(2));
    assertEquals(StopReason.LENGTH_LIMIT, two.stopReason());
    assertEquals(2, two.tokens().length);
    assertEquals(
        StopReason.BUDGET, translator.translate(LONG_TEXT, options().budgetTokens(3)).stopReason());
    Translation late = translator.translate(LONG_TEXT, options().budgetMillis(1));
    assertEquals(StopReason.BUDGET, late.stopReason());
    assertTrue(late.sourceLength() < LONG_TEXT.length());
    assertEquals(
        tokens[1], translator.translate(SENTENCE, options().forcedFirst(tokens[1])).tokens()[0]);
    int[] without = translator.translate(SENTENCE, options().suppressed(tokens[0])).tokens();
    assertFalse(Arrays.stream(without).anyMatch(token -> token == tokens[0]));
    TranslateOptions forty = options().minTargetTokens(40).guards(false);
    assertTrue(translator.translate(SENTENCE, forty).tokens().length >= 40);
    assertArrayEquals( // A text is prepared in C++ in the same way.
        translator.translate("Now: " + SENTENCE).tokens(),
        translator.translate(SENTENCE, options().prefix("Now: ")).tokens());
    assertArrayEquals( // What one call sets, the next one does not see.
        tokens, translator.translate(SENTENCE).tokens());
  }

  @Test
  public void requestThatTheModelRefusesIsAnException() {
    LatimerException refused =
        assertThrows(
            LatimerException.class,
            () -> translator.translate(SENTENCE, options().targetLanguage("xyz_Latn")));
    assertEquals(LatimerException.Code.INVALID_ARGUMENT, refused.code());
    assertTrue(refused.getMessage(), refused.getMessage().endsWith("."));
    for (int[] ids : new int[][] {{}, {-1, 0}, {Integer.MAX_VALUE}, {Integer.MIN_VALUE}}) {
      assertThrows(LatimerException.class, () -> translator.translateIds(ids, options()));
    }
    assertThrows(LatimerException.class, () -> translator.detokenize(new int[] {-7}));
    assertThrows(
        LatimerException.class,
        () -> translator.translate(SENTENCE, options().forcedFirst(Integer.MAX_VALUE)));
    assertThrows(LatimerException.class, () -> Translator.load(MODEL, loading().threads(10000)));
    assertEquals(translation(SENTENCE), translator.translate(SENTENCE).text());
  }

  @Test
  public void threadsGiveTheSameTokens() {
    try (Translator three = Translator.load(MODEL, loading().threads(3).verifyChecksum(false))) {
      assertArrayEquals(
          translator.translate(SENTENCE).tokens(), three.translate(SENTENCE).tokens());
    }
  }

  @Test
  public void modelIsDescribed() {
    assertTrue(translator.languages().isEmpty());
    assertTrue(translator.license(), translator.license().contains("CC-BY"));
  }

  // ---- Text ----

  @Test
  public void textIsUtf8OnBothSides() throws Exception {
    String text = "a\0\u00e9\u4e2d\uD83D\uDE00";
    assertArrayEquals(text.getBytes(StandardCharsets.UTF_8), Utf8.encode(text));
    assertEquals(text, Utf8.decode(Utf8.encode(text)));
    assertEquals("\uFFFDx\uFFFD\uFFFD", Utf8.decode(Utf8.encode("\uD83Dx\uDE00\uD83D")));

    List<String> lines = Arrays.asList("I like \uD83D\uDE00 dogs.", "Der Stra\u00dfe \u4e2d");
    List<String> ids = new ArrayList<>();
    for (String line : lines) ids.add(join(translator.tokenize(line)));
    assertEquals(latimer(lines, "tokenize", MODEL), ids);
  }

  @Test
  public void emojiZeroAndLoneSurrogatesSurvive() throws Exception {
    String text = "I like \uD83D\uDE00 dogs\0 and cats. \uDE00The \uD83D end.";
    StringBuilder source = new StringBuilder();
    translator.translate(
        oneByOne(text), options(), portion -> source.append(source(portion)));
    assertEquals(
        "I like \uD83D\uDE00 dogs\0 and cats. \uFFFDThe \uFFFD end.", source.toString());
    assertEquals(text.length(), translator.translate(text).sourceLength());
    assertFalse( // What follows the zero is read.
        Arrays.equals(translator.tokenize("dogs"), translator.tokenize("dogs\0 and cats")));
  }

  @Test
  public void zeroInACStringIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> Translator.load(new File("a\0b")));
    assertThrows(
        IllegalArgumentException.class,
        () -> translator.translate(SENTENCE, options().prefix("a\0b")));
  }

  @Test
  public void emptyTextIsTranslated() throws Exception {
    assertEquals("", translator.translate("").text());
    assertEquals(0, translator.translate("").sourceLength());
    translator.translate(new StringReader(""), options(), portion -> fail("no portion"));
  }

  // ---- Callbacks ----

  @Test
  public void listenerGetsEachTokenAndMayEndTheTranslation() {
    List<Integer> heard = new ArrayList<>();
    int[] tokens =
        translator
            .translate(
                SENTENCE,
                options()
                    .listener(
                        (index, token) -> {
                          assertEquals(heard.size(), index);
                          return heard.add(token);
                        }))
            .tokens();
    assertEquals(Arrays.stream(tokens).boxed().collect(Collectors.toList()), heard);

    Translation ended =
        translator.translate(SENTENCE, options().listener((index, token) -> index < 2));
    assertEquals(StopReason.CANCELLED, ended.stopReason());
    assertEquals(3, ended.tokens().length);
    Translation cancelled =
        translator.translate(
            SENTENCE,
            options()
                .listener(
                    (index, token) -> {
                      translator.cancel();
                      return true;
                    }));
    assertEquals(StopReason.CANCELLED, cancelled.stopReason());
  }

  @Test
  public void exceptionOfACallbackComesOut() throws Exception {
    TokenListener throwing =
        (index, token) -> {
          throw new IllegalArgumentException("mine");
        };
    for (String text : new String[] {SENTENCE, LONG_TEXT}) {
      assertEquals(
          "mine",
          assertThrows(
                  IllegalArgumentException.class,
                  () -> translator.translate(text, options().listener(throwing)))
              .getMessage());
      assertThrows(
          IllegalArgumentException.class,
          () ->
              translator.translate(
                  new StringReader(text), options().listener(throwing), portion -> {}));
    }
    List<StreamedText> portions = new ArrayList<>();
    assertThrows(
        UnsupportedOperationException.class,
        () ->
            translator.translate(
                new StringReader("One dog. Two dogs. Three dogs."),
                options(),
                portion -> {
                  portions.add(portion);
                  throw new UnsupportedOperationException();
                }));
    assertEquals(1, portions.size());
    assertEquals(StopReason.EOS, translator.translate(SENTENCE).stopReason());
  }

  @Test
  public void callbackMayNotUseItsTranslator() throws Exception {
    TokenListener translating =
        (index, token) -> {
          translator.translate(SENTENCE);
          return true;
        };
    assertThrows(
        IllegalStateException.class,
        () -> translator.translate(SENTENCE, options().listener(translating)));
    assertThrows(
        IllegalStateException.class,
        () ->
            translator.translate(
                new StringReader(SENTENCE), options(), portion -> translator.close()));
    assertEquals(StopReason.EOS, translator.translate(SENTENCE).stopReason());
  }

  // ---- Running text ----

  @Test
  public void runningTextIsThatOfTheCommandLine() throws Exception {
    String text = String.join(" ", testLines(30)) + "\n\n" + String.join("\n", testLines(10));
    for (boolean inPieces : new boolean[] {true, false}) {
      StringBuilder german = new StringBuilder();
      StringBuilder source = new StringBuilder();
      List<Integer> tokens = new ArrayList<>();
      translator.translate(
          inPieces ? oneByOne(text) : new StringReader(text),
          options().listener((index, token) -> tokens.add(token)),
          portion -> {
            german.append(portion.text());
            source.append(source(portion));
            assertEquals(StopReason.EOS, portion.stopReason());
            assertFalse(portion.isCut());
            assertTrue(portion.line() >= 1 && portion.line() <= 12);
          });
      assertEquals(
          latimer(Arrays.asList(text.split("\n", -1)), "translate", MODEL, "--paragraphs"),
          Arrays.asList(german.toString().split("\n", -1)));
      assertEquals(text.replace("\n", " "), source.toString().replace("\n", " "));
      assertTrue(tokens.size() > 200);
    }
  }

  @Test
  public void runningTextEndsWhenItIsCancelled() throws Exception {
    List<StreamedText> portions = new ArrayList<>();
    Reader endless =
        new Reader() {
          @Override
          public int read(char[] to, int offset, int length) {
            for (int i = 0; i < length; ++i) to[offset + i] = "The dog. ".charAt(i % 9);
            return length / 9 * 9;
          }

          @Override
          public void close() {}
        };
    translator.translate(
        endless,
        options(),
        portion -> {
          portions.add(portion);
          if (portions.size() == 5) translator.cancel();
        });
    assertTrue(portions.size() <= 6 + 1); // White space may come before it.
    assertEquals(StopReason.CANCELLED, portions.get(portions.size() - 1).stopReason());
    portions.clear();
    translator.translate(
        endless, options().listener((index, token) -> false), portion -> portions.add(portion));
    assertEquals(StopReason.CANCELLED, portions.get(portions.size() - 1).stopReason());
    assertEquals(StopReason.EOS, translator.translate(SENTENCE).stopReason());
  }

  @Test
  public void exceptionOfAReaderComesOut() throws Exception {
    Reader broken =
        new Reader() {
          @Override
          public int read(char[] to, int offset, int length) throws IOException {
            throw new IOException("broken");
          }

          @Override
          public void close() {}
        };
    assertThrows(
        IOException.class, () -> translator.translate(broken, options(), portion -> {}));
    assertEquals(StopReason.EOS, translator.translate(SENTENCE).stopReason());
  }

  // ---- Where a model lies ----

  @Test
  public void modelIsPartOfAFile() throws Exception {
    int[] expected = translator.translate(SENTENCE).tokens();
    byte[] model = Files.readAllBytes(MODEL.toPath());
    // Offsets: a page, aligned within a page, as zip files have them, odd.
    for (int offset : new int[] {0, 8192, 4096 + 192, 4096 + 4, 77}) {
      Path path = WORK.resolve("part_of_a_file");
      Translator part;
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
        file.setLength(0);
        file.seek(offset);
        file.write(model);
        if (offset != 0) file.write(new byte[99]);
        long length = offset == 0 ? Translator.TO_END_OF_FILE : model.length;
        part = Translator.load(descriptorOf(path), offset, length, loading());
      }
      assertEquals(offset % Translator.MODEL_ALIGNMENT != 0, part.isModelCopied());
      assertArrayEquals(expected, part.translate(SENTENCE).tokens()); // The mapping stays.
      part.close();
      Files.delete(path);
    }
  }

  @Test
  public void rangeThatIsNotInAFileIsRefused() throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(MODEL, "r")) {
      int fd = descriptorOf(MODEL.toPath().toRealPath());
      long size = file.length();
      long[][] ranges = {
        {0, size + 1}, {1, size}, {-1, 5}, {0, 0}, {0, -2}, {size, -1}, {Long.MAX_VALUE, 5},
        {5, Long.MAX_VALUE}, {Long.MIN_VALUE, Long.MIN_VALUE}
      };
      for (long[] range : ranges) {
        LatimerException refused =
            assertThrows(
                LatimerException.class,
                () -> Translator.load(fd, range[0], range[1], loading()));
        assertEquals(LatimerException.Code.INVALID_ARGUMENT, refused.code());
      }
    }
    for (int fd : new int[] {-1, 99999, Integer.MIN_VALUE}) {
      LatimerException refused =
          assertThrows(LatimerException.class, () -> Translator.load(fd, 0, -1, loading()));
      assertEquals(LatimerException.Code.RESOURCE_UNAVAILABLE, refused.code());
    }
  }

  @Test
  public void modelIsInADirectBuffer() throws Exception {
    int[] expected = translator.translate(SENTENCE).tokens();
    ByteBuffer mapped;
    try (FileChannel file = FileChannel.open(MODEL.toPath())) {
      mapped = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
    }
    for (int before : new int[] {0, 1}) {
      ByteBuffer buffer = mapped;
      if (before > 0) { // A model that begins inside a buffer, at an odd address.
        buffer = ByteBuffer.allocateDirect(before + mapped.capacity() + 7);
        buffer.position(before);
        buffer.put(mapped.duplicate());
        buffer.flip();
        buffer.position(before);
      }
      try (Translator inBuffer = Translator.load(buffer, loading())) {
        buffer = null;
        System.gc(); // The translator keeps it.
        assertEquals(before > 0, inBuffer.isModelCopied());
        assertArrayEquals(expected, inBuffer.translate(SENTENCE).tokens());
      }
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> Translator.load(ByteBuffer.allocate(100), loading()));
    assertThrows(
        LatimerException.class, () -> Translator.load(ByteBuffer.allocateDirect(0), loading()));
  }

  @Test
  public void brokenFileIsAnExceptionWithASentence() throws Exception {
    byte[] model = Files.readAllBytes(MODEL.toPath());
    byte[] damaged = model.clone();
    damaged[damaged.length / 2] ^= 1;
    expectRefusal(LatimerException.Code.CORRUPT, damaged);
    expectRefusal(LatimerException.Code.TRUNCATED, Arrays.copyOf(model, model.length / 2));
    expectRefusal(LatimerException.Code.NOT_A_MODEL, new byte[5000]);
    LatimerException none =
        assertThrows(
            LatimerException.class, () -> Translator.load(new File("/none/\uD83D\uDE00.ltm")));
    assertEquals(LatimerException.Code.RESOURCE_UNAVAILABLE, none.code());
    assertTrue(none.getMessage(), none.getMessage().startsWith("/none/\uD83D\uDE00.ltm: "));
  }

  // ---- Threads, cancelling and closing ----

  @Test
  public void threadsTakeTurns() throws Exception {
    List<String> lines = testLines(20);
    List<String> expected = new ArrayList<>();
    for (String line : lines) expected.add(translator.translate(line).text());
    ExecutorService pool = Executors.newFixedThreadPool(4);
    List<Future<List<String>>> results = new ArrayList<>();
    for (int i = 0; i < 4; ++i) {
      results.add(
          pool.submit(
              () -> lines.stream().map(l -> translator.translate(l).text()).collect(
                  Collectors.toList())));
    }
    for (Future<List<String>> result : results) assertEquals(expected, result.get());
    pool.shutdown();
  }

  @Test
  public void otherThreadCancels() throws Exception {
    translator.cancel(); // No call runs: nothing is cancelled.
    assertEquals(StopReason.EOS, translator.translate(SENTENCE).stopReason());
    Translation cancelled = endedBy(translator::cancel).get();
    assertEquals(StopReason.CANCELLED, cancelled.stopReason());
    assertTrue(cancelled.sourceLength() < LONG_TEXT.length());
    assertEquals(StopReason.EOS, translator.translate(SENTENCE).stopReason());
  }

  @Test
  public void closingEndsTheCallThatRuns() throws Exception {
    assertEquals(StopReason.CANCELLED, endedBy(translator::close).get().stopReason());
    translator.close();
    translator.cancel();
    List<Runnable> calls =
        Arrays.asList(
            () -> translator.translate(SENTENCE),
            () -> translator.translateIds(new int[] {0}, options()),
            () -> translator.tokenize(SENTENCE),
            () -> translator.detokenize(new int[] {0}),
            () -> translator.languages(),
            () -> translator.license(),
            () -> translator.isModelCopied());
    for (Runnable call : calls) assertThrows(IllegalStateException.class, call::run);
    assertThrows(
        IllegalStateException.class,
        () -> translator.translate(new StringReader(SENTENCE), options(), portion -> {}));
  }

  @Test
  public void loadingTranslatingCancellingAndClosingMayMeet() throws Exception {
    for (int round = 0; round < 20; ++round) {
      Translator shared = Translator.load(MODEL);
      ExecutorService pool = Executors.newFixedThreadPool(4);
      for (int i = 0; i < 3; ++i) {
        pool.submit(
            () -> {
              while (true) shared.translate(SENTENCE); // Until it is closed.
            });
      }
      pool.submit(
          () -> {
            for (int i = 0; i < 1000; ++i) shared.cancel();
          });
      Thread.sleep(round);
      shared.close();
      pool.shutdown();
      assertTrue(pool.awaitTermination(60, TimeUnit.SECONDS));
    }
  }

  @Test
  public void numbersAreCompared() {
    NumberCheck check =
        NumberCheck.of("On 3 May \u20AC 1,200 for 4.", "Am 3. Mai 1.200 \u20AC f\u00FCr 5.");
    assertEquals(Arrays.asList("4"), check.missing());
    assertEquals(Arrays.asList("5"), check.surplus());
    assertTrue(NumberCheck.of("None.", "Keine.").missing().isEmpty());
    NullPointerException missing =
        assertThrows(NullPointerException.class, () -> NumberCheck.of("1", null));
    assertEquals("translation is null", missing.getMessage());
  }

  @Test
  public void itSaysWhichModelItHas() {
    assertEquals("Translator[" + MODEL.getPath() + "]", translator.toString());
    translator.close();
    assertEquals("Translator[" + MODEL.getPath() + ", closed]", translator.toString());
  }

  @Test
  public void nullIsRefused() {
    assertThrows(NullPointerException.class, () -> Translator.load((File) null));
    assertThrows(NullPointerException.class, () -> Translator.load(MODEL, null));
    assertThrows(NullPointerException.class, () -> Translator.load((ByteBuffer) null, loading()));
    assertThrows(NullPointerException.class, () -> Translator.load(0, 0, 1, null));
    NullPointerException missing =
        assertThrows(NullPointerException.class, () -> translator.translate(null));
    assertEquals("text is null", missing.getMessage());
    assertThrows(NullPointerException.class, () -> translator.translate(SENTENCE, null));
    assertThrows(NullPointerException.class, () -> translator.translateIds(null, options()));
    assertThrows(NullPointerException.class, () -> translator.translateIds(new int[1], null));
    assertThrows(NullPointerException.class, () -> translator.tokenize(null));
    assertThrows(NullPointerException.class, () -> translator.detokenize(null));
    assertThrows(
        NullPointerException.class, () -> translator.translate(null, options(), portion -> {}));
    assertThrows(
        NullPointerException.class,
        () -> translator.translate(new StringReader("a"), options(), null));
    assertThrows(NullPointerException.class, () -> options().suppressed((int[]) null));
    assertThrows(IllegalArgumentException.class, () -> options().maxTargetTokens(-1));
    assertThrows(IllegalArgumentException.class, () -> loading().threads(0));
    assertNotNull(translator.translate(SENTENCE, options().prefix(null).listener(null)));
  }

  // ---- Helpers ----

  private static TranslateOptions options() {
    return new TranslateOptions();
  }

  private static LoadOptions loading() {
    return new LoadOptions();
  }

  /** A translation on another thread that `end` ends after its first token. */
  private Future<Translation> endedBy(Runnable end) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    ExecutorService pool = Executors.newSingleThreadExecutor();
    Future<Translation> result =
        pool.submit(
            () ->
                translator.translate(
                    LONG_TEXT,
                    options()
                        .listener(
                            (index, token) -> {
                              begun.countDown();
                              return true;
                            })));
    pool.shutdown();
    assertTrue(begun.await(60, TimeUnit.SECONDS));
    end.run();
    return result;
  }

  private static void expectRefusal(LatimerException.Code code, byte[] model) throws IOException {
    Path path = WORK.resolve("broken_model");
    Files.write(path, model);
    LatimerException refused =
        assertThrows(LatimerException.class, () -> Translator.load(path.toFile()));
    assertEquals(code, refused.code());
    assertTrue(refused.getMessage(), refused.getMessage().endsWith("."));
    ByteBuffer buffer = ByteBuffer.allocateDirect(model.length);
    buffer.put(model);
    buffer.flip();
    assertEquals(
        code,
        assertThrows(LatimerException.class, () -> Translator.load(buffer, loading())).code());
  }

  /** White space between sentences is the same in the source. */
  private static String source(StreamedText portion) {
    return portion.source().isEmpty() ? portion.text() : portion.source();
  }

  /** The number of this process's descriptor of an open file. */
  private static int descriptorOf(Path path) throws IOException {
    try (Stream<Path> descriptors = Files.list(Paths.get("/proc/self/fd"))) {
      for (Path descriptor : descriptors.collect(Collectors.toList())) {
        if (!Files.exists(descriptor)) continue;
        if (!Files.isSameFile(descriptor, path)) continue;
        return Integer.parseInt(descriptor.getFileName().toString());
      }
    }
    throw new AssertionError(path + " is not open.");
  }

  private static String publishedHash(String what) throws IOException {
    for (String line : Files.readAllLines(ROOT.resolve("tests/data/same_tokens.sha256"))) {
      if (line.endsWith("  " + what)) return line.substring(0, 64);
    }
    throw new AssertionError("No hash of " + what);
  }

  private static String sha256(String text) throws Exception {
    StringBuilder hex = new StringBuilder();
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (byte b : digest.digest(text.getBytes(StandardCharsets.UTF_8))) {
      hex.append(String.format("%02x", b));
    }
    return hex.toString();
  }

  private static String join(int[] ids) {
    return Arrays.stream(ids).mapToObj(Integer::toString).collect(Collectors.joining(" "));
  }
}
