package dev.latimer;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Several translators of one model, for calls of several threads at the same time.
 *
 * <pre>{@code
 * try (TranslatorPool pool = TranslatorPool.load(new File("en-de.ltm"), new LoadOptions(), 4)) {
 *   texts.parallelStream().map(pool::translate).forEach(...);
 * }
 * }</pre>
 *
 * <p>The pages of the file are in memory once; each translator has memory of its own that it writes
 * to. A call takes a translator that is idle, or waits for one. An interrupt ends a call as it ends
 * one of a {@link Translator}.
 */
public final class TranslatorPool implements AutoCloseable {
  private final List<Translator> all = new ArrayList<>();
  private final BlockingQueue<Translator> idle = new LinkedBlockingQueue<>();

  private TranslatorPool() {}

  /**
   * Loads a model file several times.
   *
   * @param file what {@code latimer-convert} wrote
   * @param options of each translator
   * @param translators how many calls may run at the same time
   * @return a pool, to be closed
   */
  public static TranslatorPool load(File file, LoadOptions options, int translators) {
    if (translators < 1) {
      throw new IllegalArgumentException("translators " + translators + ": give at least 1.");
    }
    TranslatorPool pool = new TranslatorPool();
    try {
      while (pool.all.size() < translators) pool.all.add(Translator.load(file, options));
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
    pool.idle.addAll(pool.all);
    return pool;
  }

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
   * Translates a text, as {@link Translator#translate(String, TranslateOptions)} does.
   *
   * @param text the text
   * @param options settings of the translation
   * @return the translation
   */
  public Translation translate(String text, TranslateOptions options) {
    Translator translator = take();
    try {
      return translator.translate(text, options);
    } finally {
      idle.add(translator);
    }
  }

  /**
   * Translates texts with one translator, as {@link Translator#translateAll(List,
   * TranslateOptions)} does. Give each thread a part of a long list.
   *
   * @param texts the texts
   * @param options settings of the translation
   * @return the translations
   */
  public List<Translation> translateAll(List<String> texts, TranslateOptions options) {
    Translator translator = take();
    try {
      return translator.translateAll(texts, options);
    } finally {
      idle.add(translator);
    }
  }

  /**
   * Translates HTML, as {@link Translator#translateHtml(String, TranslateOptions)} does.
   *
   * @param html the HTML
   * @param options settings of the translation
   * @return the translated HTML
   */
  public String translateHtml(String html, TranslateOptions options) {
    Translator translator = take();
    try {
      return translator.translateHtml(html, options);
    } finally {
      idle.add(translator);
    }
  }

  /** Waits also when this thread was interrupted: the call then ends at once. */
  private Translator take() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return idle.take();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  /** {@return where the model lies, and how many translators there are} */
  @Override
  public String toString() {
    return "TranslatorPool[" + all.size() + " x " + all.get(0) + "]";
  }

  /** Closes all translators, which ends the calls that run; later ones are refused. */
  @Override
  public void close() {
    for (Translator translator : all) translator.close();
  }
}
