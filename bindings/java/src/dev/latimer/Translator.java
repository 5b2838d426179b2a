package dev.latimer;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.nio.charset.CharsetEncoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A model of Latimer's that translates.
 *
 * <pre>{@code
 * try (Translator translator = Translator.load(new File("en-de.ltm"))) {
 *   System.out.println(translator.translate("How are you today?").text());
 * }
 * }</pre>
 *
 * <p>The model file is read where it lies: mapped, or in the memory of a direct buffer. It is copied
 * only if its first byte is not at a multiple of {@link #MODEL_ALIGNMENT} there. What translation
 * writes is reserved when the model is loaded, outside Java's heap, until {@link #close}: a
 * translator that is not closed keeps that memory until the process ends.
 *
 * <p>Any thread may call any method at any time. One call runs at a time; those of other threads
 * wait. To translate on several threads at once, use a {@link TranslatorPool}. An interrupt of the
 * thread that translates has the effect of {@link #cancel}, and leaves the thread interrupted.
 *
 * <p>Methods throw {@link LatimerException} for a model file that cannot be used, with the code
 * RESOURCE_UNAVAILABLE if it cannot be opened, and for a request that the model refuses;
 * IllegalStateException after {@link #close} and in a callback of the same translator; and
 * NullPointerException for null where nothing else is said.
 */
public final class Translator implements AutoCloseable {
  /** See {@link #isModelCopied}: bytes. */
  public static final int MODEL_ALIGNMENT = 64;

  /** The length of a descriptor's model that goes on to the end of the file. */
  public static final long TO_END_OF_FILE = -1;

  private static final int CHUNK = 4096; // chars

  private final ReentrantLock lock = new ReentrantLock(); // Held by the call that runs.
  private final Object state = new Object(); // Guards what follows.
  private long handle; // 0: unloaded. Changed only with the lock held.
  private boolean running;
  private boolean cancelled; // The call that runs.
  private boolean closed;

  private final String name; // What toString() says of the model.

  private Translator(long handle, String name) {
    this.handle = handle;
    this.name = name;
  }

  // ---- Loading ----

  /**
   * Loads a model file with the default options.
   *
   * @param file what {@code latimer-convert} wrote
   * @return a translator, to be closed
   */
  public static Translator load(File file) {
    return load(file, new LoadOptions());
  }

  /**
   * Loads a model file. It is mapped until {@link #close}: do not write to it or shorten it. To
   * install a new model, rename its file to this name.
   *
   * @param file what {@code latimer-convert} wrote
   * @param options threads, lanes and beams
   * @return a translator, to be closed
   */
  public static Translator load(File file, LoadOptions options) {
    byte[] path = Utf8.encodeForC("The path", file.getPath());
    return new Translator(Native.loadFile(path, options.numbers()), file.getPath());
  }

  /**
   * Loads a model that is a part of an open file, such as an asset of Android. The bytes are mapped
   * as {@link #load(File, LoadOptions)} says. The descriptor remains the caller's, who may close it
   * afterwards; its position is neither used nor changed.
   *
   * @param fd the descriptor, as of {@code ParcelFileDescriptor.getFd()}
   * @param offset the model's first byte in the file
   * @param length bytes, or {@link #TO_END_OF_FILE}
   * @param options threads, lanes and beams
   * @return a translator, to be closed
   */
  public static Translator load(int fd, long offset, long length, LoadOptions options) {
    long handle = Native.loadDescriptor(fd, offset, length, options.numbers());
    return new Translator(handle, "a descriptor");
  }

  /**
   * Loads a model from position to limit of a direct buffer, which is kept and must not be written
   * to until {@link #close}. IllegalArgumentException if the buffer is not direct.
   *
   * @param model the bytes of a model file
   * @param options threads, lanes and beams
   * @return a translator, to be closed
   */
  public static Translator load(ByteBuffer model, LoadOptions options) {
    if (!model.isDirect()) {
      throw new IllegalArgumentException("The buffer is not direct; use one that is.");
    }
    return new Translator(Native.loadBuffer(model.slice(), options.numbers()), "a buffer");
  }

  /**
   * {@return whether the model was copied to memory, because the offset in the file or the address
   * of the buffer is not a multiple of {@link #MODEL_ALIGNMENT}} That takes as much memory as the
   * file has bytes, which the system cannot drop and other processes cannot share.
   */
  public boolean isModelCopied() {
    long model = begin();
    try {
      return Native.isCopied(model);
    } finally {
      end();
    }
  }

  // ---- Translating ----

  /**
   * Translates a text with the model's own settings.
   *
   * @param text the text
   * @return the translation
   */
  public Translation translate(String text) {
    return translate(text, new TranslateOptions());
  }

  /**
   * Translates a text. Each sentence and each line is translated by itself, and the white space
   * between them is kept; see {@link TranslateOptions#sentences}. A sentence that exceeds the
   * longest source is cut. A surrogate without its other half counts as U+FFFD.
   *
   * @param text the text
   * @param options settings of the translation
   * @return the translation
   */
  public Translation translate(String text, TranslateOptions options) {
    return new Translation(translateParts(text, options));
  }

  Parts translateParts(String text, TranslateOptions options) {
    byte[] bytes = Utf8.encode("text", text);
    Parts parts = new Parts(bytes, options);
    TokenListener listener = options.listener;
    run(options, text, model -> Native.translate(model, bytes, listener, parts), parts);
    return parts;
  }

  /**
   * Translates texts with the model's own settings.
   *
   * @param texts the texts
   * @return the translations
   */
  public List<Translation> translateAll(List<String> texts) {
    return translateAll(texts, new TranslateOptions());
  }

  /**
   * Translates texts, as many side by side as there are {@link LoadOptions#lanes}, and returns
   * their translations in the same order. Each is what {@link #translate(String, TranslateOptions)}
   * gives alone, text n with the number n of {@link TranslateOptions#stream}, counted from there
   * on. After {@link #cancel} those that have not ended have {@link StopReason#CANCELLED}, without
   * text if they had not begun.
   *
   * @param texts the texts
   * @param options settings of the translation
   * @return the translations
   * @throws IllegalArgumentException for a listener or protected ranges, which are for one text
   */
  public List<Translation> translateAll(List<String> texts, TranslateOptions options) {
    options.checkForMany();
    String[] copy = texts.toArray(new String[0]);
    Parts[] parts = new Parts[copy.length];
    // Within the call, so that it can be cancelled from the beginning.
    Call call =
        model -> {
          byte[][] bytes = new byte[copy.length][];
          for (int i = 0; i < copy.length; ++i) {
            bytes[i] = Utf8.encode("texts[" + i + "]", copy[i]);
            parts[i] = new Parts(bytes[i], options);
          }
          Native.translateAll(model, bytes, parts);
        };
    run(options, null, call, parts);
    List<Translation> translations = new ArrayList<>();
    for (Parts of : parts) {
      if (of.count == 0) of.stopReason = StopReason.CANCELLED;
      translations.add(new Translation(of));
    }
    return translations;
  }

  /**
   * Translates source tokens as they are: no EOS is added. The translation has no text.
   *
   * @param ids the tokens
   * @param options settings of the translation
   * @return the translation
   */
  public Translation translateIds(int[] ids, TranslateOptions options) {
    int[] copy = ids.clone();
    Parts parts = new Parts(null, options);
    TokenListener listener = options.listener;
    run(options, null, model -> Native.translateIds(model, copy, listener, parts), parts);
    return new Translation(parts);
  }

  private void run(TranslateOptions options, String text, Call call, Parts... parts) {
    options.checkHypotheses();
    int nBest = options.nBest;
    long model = begin();
    try {
      options.set(model, text);
      new Interrupts().run(() -> call.run(model));
      for (Parts of : parts) of.finish(nBest);
    } finally {
      end();
    }
  }

  /**
   * Translates running text of any length, sentence by sentence, while it is read. A blank line
   * ends a paragraph; a line break within one is white space. Limits, budgets and target prefixes
   * apply to each sentence. After {@link #cancel}, or false of a listener, the receiver gets one
   * more portion, with {@link StopReason#CANCELLED}, or none.
   *
   * @param source the text
   * @param options settings of the translation
   * @param receiver gets the translation
   * @throws IOException if the reader does; sentences that are not complete are dropped
   */
  public void translate(Reader source, TranslateOptions options, TextReceiver receiver)
      throws IOException {
    if (source == null || receiver == null) throw new NullPointerException();
    pour(source, options, receiver, () -> {});
  }

  /**
   * Translates HTML of any length while it is read. Each tag comes out once, byte for byte, around
   * the words that translate those that it was around. Limits, budgets and target prefixes apply to
   * each sentence; terms and protected spans are refused.
   *
   * @param html the HTML
   * @param options settings of the translation
   * @param out gets the HTML in pieces
   * @throws IOException if the reader or {@code out} does
   * @throws CancellationException after {@link #cancel}, or false of a listener; {@code out} then
   *     lacks the end
   */
  public void translateHtml(Reader html, TranslateOptions options, Appendable out)
      throws IOException {
    if (html == null || out == null) throw new NullPointerException();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Utf8.Decoder decoder = new Utf8.Decoder();
    boolean whole =
        pour(
            html,
            options,
            bytes,
            () -> {
              out.append(decoder.decode(bytes.toByteArray()));
              bytes.reset();
            });
    if (!whole) throw new CancellationException("The translation was cancelled.");
  }

  /**
   * Translates HTML, as {@link #translateHtml(Reader, TranslateOptions, Appendable)} does.
   *
   * @param html the HTML
   * @param options settings of the translation
   * @return the translated HTML
   */
  public String translateHtml(String html, TranslateOptions options) {
    if (html == null) throw new NullPointerException("html is null");
    StringBuilder out = new StringBuilder();
    try {
      translateHtml(new StringReader(html), options, out);
    } catch (IOException impossible) {
      throw new AssertionError(impossible); // There are only strings.
    }
    return out.toString();
  }

  private interface Call { // java.util.function is not there before Android 7.
    void run(long model);
  }

  private interface AfterPush {
    void run() throws IOException;
  }

  /**
   * Pushes a text, or HTML if the receiver is a ByteArrayOutputStream. Returns false if it was
   * cancelled.
   */
  private boolean pour(
      Reader source, TranslateOptions options, Object receiver, AfterPush afterPush)
      throws IOException {
    CharsetEncoder encoder = Utf8.encoder();
    CharBuffer chars = CharBuffer.allocate(CHUNK);
    ByteBuffer bytes = ByteBuffer.allocate(3 * (CHUNK + 1));
    TokenListener listener = options.listener;
    boolean isHtml = receiver instanceof ByteArrayOutputStream;
    long model = begin();
    try {
      options.set(model, null);
      Native.beginStream(model, isHtml);
      try {
        boolean more;
        boolean goesOn;
        do {
          more = source.read(chars) >= 0;
          chars.flip();
          encoder.encode(chars, bytes, !more); // May leave half of a character.
          chars.compact();
          if (!more) encoder.flush(bytes);
          goesOn = push(model, bytes.array(), bytes.position(), listener, receiver);
          bytes.clear();
          afterPush.run();
        } while (more && goesOn && !(isHtml && isCancelled()));
        if (!more && goesOn) goesOn = push(model, null, 0, listener, receiver);
        afterPush.run();
        return goesOn && !isCancelled();
      } finally {
        Native.endStream(model);
      }
    } finally {
      end();
    }
  }

  /**
   * Ends the call that runs on another thread, or calls back on this one, before its next token,
   * with {@link StopReason#CANCELLED}. Does nothing if no call runs, and calls that wait are not
   * affected. Never waits.
   */
  public void cancel() {
    synchronized (state) {
      if (!running) return;
      cancelled = true;
      Native.setCancelled(handle, true);
    }
  }

  /** An interrupt of this thread cancels what it does, and goes on to be one. */
  private final class Interrupts extends AbstractInterruptibleChannel {
    void run(Runnable work) {
      begin();
      try {
        work.run();
      } finally {
        try {
          end(true);
        } catch (AsynchronousCloseException interrupted) {
          // The translation says that it was cancelled.
        }
      }
    }

    @Override
    protected void implCloseChannel() {
      cancel();
    }
  }

  private boolean push(
      long model, byte[] bytes, int count, TokenListener listener, Object receiver) {
    boolean[] goesOn = new boolean[1];
    new Interrupts()
        .run(() -> goesOn[0] = Native.push(model, bytes, count, listener, receiver));
    return goesOn[0];
  }

  private boolean isCancelled() {
    synchronized (state) {
      return cancelled;
    }
  }

  // ---- Text and tokens, the model ----

  /**
   * {@return the source tokens of a text, EOS included, as Hugging Face's tokenizer gives them}
   *
   * @param text the text
   */
  public int[] tokenize(String text) {
    byte[] bytes = Utf8.encode("text", text);
    long model = begin();
    try {
      return Native.tokenize(model, bytes);
    } finally {
      end();
    }
  }

  /**
   * {@return the tokens of a text of the target, without EOS, for a target prefix or what is
   * banned} Throws a LatimerException if the model was converted with {@code
   * --no-target-tokenizer}.
   *
   * @param text the text
   */
  public int[] tokenizeTarget(String text) {
    byte[] bytes = Utf8.encode("text", text);
    long model = begin();
    try {
      return Native.tokenizeTarget(model, bytes);
    } finally {
      end();
    }
  }

  /**
   * {@return the piece of a source token, with U+2581 for a space; "" if there is no such token}
   * Slow.
   *
   * @param token its id
   */
  public String sourcePiece(int token) {
    return piece(token, false);
  }

  /**
   * {@return the piece of a target token, with U+2581 for a space; "" if there is no such token}
   *
   * @param token its id
   */
  public String targetPiece(int token) {
    return piece(token, true);
  }

  private String piece(int token, boolean ofTarget) {
    long model = begin();
    try {
      return Utf8.decode(Native.piece(model, token, ofTarget));
    } finally {
      end();
    }
  }

  /**
   * {@return the text of target tokens, without special ones}
   *
   * @param ids the tokens
   */
  public String detokenize(int[] ids) {
    int[] copy = ids.clone();
    long model = begin();
    try {
      return Utf8.decode(Native.detokenize(model, copy));
    } finally {
      end();
    }
  }

  /**
   * {@return languages that {@link TranslateOptions} may name, in ascending order; empty if none}
   */
  public List<String> languages() {
    long model = begin();
    try {
      List<String> languages = new ArrayList<>();
      for (byte[] name; (name = Native.language(model, languages.size())) != null; ) {
        languages.add(Utf8.decode(name));
      }
      return Collections.unmodifiableList(languages);
    } finally {
      end();
    }
  }

  /** {@return the licence note of the model} */
  public String license() {
    long model = begin();
    try {
      return Utf8.decode(Native.license(model));
    } finally {
      end();
    }
  }

  /**
   * Cancels the call that runs, waits for its end and frees everything. Calls that wait, and all
   * later ones, throw IllegalStateException; closing again does nothing.
   */
  @Override
  public void close() {
    refuseCallback();
    synchronized (state) {
      closed = true;
      cancel();
    }
    lock.lock();
    try {
      long unloaded;
      synchronized (state) {
        unloaded = handle;
        handle = 0;
      }
      if (unloaded != 0) Native.unload(unloaded);
    } finally {
      lock.unlock();
    }
  }

  /** {@return where the model lies, and whether this is closed} */
  @Override
  public String toString() {
    synchronized (state) {
      return "Translator[" + name + (closed ? ", closed]" : "]");
    }
  }

  // ---- One call at a time ----

  /** Waits for the calls of others and returns the handle; end() must follow. */
  private long begin() {
    refuseCallback();
    lock.lock();
    synchronized (state) {
      if (!closed) {
        running = true;
        cancelled = false;
        Native.setCancelled(handle, false);
        return handle;
      }
    }
    lock.unlock();
    throw new IllegalStateException("This translator is closed.");
  }

  private void end() {
    synchronized (state) {
      running = false;
    }
    lock.unlock();
  }

  private void refuseCallback() {
    if (lock.isHeldByCurrentThread()) {
      throw new IllegalStateException("A callback may not use its own translator.");
    }
  }
}
