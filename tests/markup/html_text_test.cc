// HTML in, HTML out, with translators that are made up: tags come out of the
// sentences, and go back to where their words went.
// Tests runtime/markup/html_text.cc, runtime/markup/html_scanner.cc,
// runtime/markup/html_sentences.cc, runtime/markup/html_writer.cc,
// runtime/markup/tag_placement.cc, runtime/markup/character_reference.cc,
// runtime/markup/html_names.cc, runtime/markup/html_reader.cc,
// runtime/markup/words.cc.
#include "markup/html_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "markup/tag_placement.h"
#include "tests/base/growth.h"
#include "tests/markup/push_in_pieces.h"

namespace latimer::html_text_test {

using ::testing::ElementsAre;

struct Words {
  std::vector<TextRange> ranges;
  std::vector<std::string> texts;
};

// Marks of punctuation are words of their own.
Words WordsOf(const std::string& text) {
  Words words;
  const auto add = [&](size_t begin, size_t end) {
    words.ranges.push_back(
        {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    words.texts.push_back(text.substr(begin, end - begin));
  };
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    const auto is_mark = [](char c) {
      return std::string(".,!?;:()").find(c) != std::string::npos;
    };
    if (isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    if (is_mark(text[at])) {
      end = at + 1;
    } else {
      while (end < text.size() && !is_mark(text[end]) &&
             isspace(static_cast<unsigned char>(text[end])) == 0) {
        ++end;
      }
    }
    add(at, end);
    at = end;
  }
  return words;
}

struct Translated {
  std::string text;
  std::vector<TokenLink> links;
};

using TranslateWords = std::function<Translated(const std::string&)>;

// Each word by itself, in an order that `order` gives, the numbers of source
// words; -1: a word that is aligned with none.
Translated InOrder(const std::string& text, const std::vector<int>& order) {
  const Words words = WordsOf(text);
  Translated out;
  for (const int i : order) {
    std::string word = i < 0 ? "also" : words.texts[static_cast<size_t>(i)];
    for (char& c : word) c = static_cast<char>(toupper(c));
    const bool mark = word.size() == 1 && ispunct(word[0]) != 0 && word != "(";
    if (!out.text.empty() && !mark && out.text.back() != '(') out.text += ' ';
    const auto begin = static_cast<uint32_t>(out.text.size());
    out.text += word;
    const auto end = static_cast<uint32_t>(out.text.size());
    out.links.push_back(
        {{begin, end},
         i < 0 ? TextRange{} : words.ranges[static_cast<size_t>(i)]});
  }
  return out;
}

std::vector<int> Sequence(const std::string& text) {
  std::vector<int> order(WordsOf(text).texts.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  return order;
}

Translated Upper(const std::string& text) {
  return InOrder(text, Sequence(text));
}

TranslateWords Order(std::vector<int> order) {
  return [order](const std::string& text) { return InOrder(text, order); };
}

struct Outcome {
  std::string html;
  std::vector<std::string> sentences;
};

// Pushes chunks of `chunk` bytes, or of random sizes if it is 0, keeps up to
// `lanes` sentences unfinished, and finishes them in an order by `seed`.
Outcome Translate(const std::string& html, const TranslateWords& translate,
                  size_t chunk = 100000, size_t lanes = 1, uint32_t seed = 1,
                  size_t cut = 0) {
  Outcome run;
  const auto text = std::make_unique<HtmlText>(
      SentenceRules{},
      [](void* out, std::string_view bytes) {
        static_cast<std::string*>(out)->append(bytes);
      },
      &run.html);
  std::mt19937 random(seed);
  std::deque<std::pair<uint64_t, std::string>> open;
  std::set<uint64_t> seen;
  const auto finish = [&] {
    const size_t i = random() % open.size();
    const Translated translated = translate(open[i].second);
    text->Finish(open[i].first, translated.text, translated.links);
    open.erase(open.begin() + static_cast<ptrdiff_t>(i));
  };
  const auto work = [&](bool all) {
    for (;;) {
      HtmlSentence sentence;
      const HtmlText::Got got =
          open.size() < lanes ? text->Next(&sentence) : HtmlText::Got::kBusy;
      if (got == HtmlText::Got::kSentence) {
        std::string whole(sentence.text);
        size_t bytes = whole.size();
        if (cut > 0 && bytes > cut && seen.insert(sentence.number).second) {
          bytes = whole.find(' ', cut);
          bytes = bytes == whole.npos ? whole.size() : bytes + 1;
          text->Cut(sentence.number, bytes, true, 0);
          whole.resize(bytes);
          while (!whole.empty() && whole.back() == ' ') whole.pop_back();
        }
        run.sentences.push_back(whole);
        open.emplace_back(sentence.number, whole);
      } else if (got == HtmlText::Got::kBusy || (all && !open.empty())) {
        ASSERT_FALSE(open.empty());
        finish();
      } else {
        return;
      }
    }
  };
  const auto size = [&] { return chunk > 0 ? chunk : 1 + random() % 40; };
  PushInPieces(html, size, *text, work);
  return run;
}

std::string UpperOf(const std::string& html) {
  return Translate(html, Upper).html;
}

TEST(HtmlText, MarksWordsWhereTheyGo) {
  EXPECT_EQ(UpperOf("<p>The <b>red</b> house.</p>"),
            "<p>THE <b>RED</b> HOUSE.</p>");
  EXPECT_EQ(Translate("<b>red</b> house", Order({1, 0})).html,
            "HOUSE <b>RED</b>");
  EXPECT_EQ(Translate("<i>one</i> <b>two</b> three", Order({2, 1, 0})).html,
            "THREE <b>TWO</b> <i>ONE</i>");
}

TEST(HtmlText, KeepsElementsInsideOfEachOther) {
  EXPECT_EQ(
      Translate("a <a href=\"x?a=1&b=2\">b <b>c</b></a> d", Order({3, 2, 1, 0}))
          .html,
      "D <a href=\"x?a=1&b=2\"><b>C</b> B</a> A");
  // The words part: one run each, no tag twice.
  EXPECT_EQ(Translate("<u>a b <b>c</b></u> d", Order({2, 3, 0, 1})).html,
            "<u><b>C</b> D A B</u>");
}

TEST(HtmlText, JoinsWhatTheTranslationTookApart) {
  EXPECT_EQ(Translate("<b>a b c</b> d e", Order({0, 3, 1, 2, 4})).html,
            "<b>A D B C</b> E");
  EXPECT_EQ(Translate("<b>a b</b> c d e", Order({0, 2, 3, 4, 1})).html,
            "<b>A</b> C D E B");
}

TEST(HtmlText, KeepsTagsWhoseWordsGotLost) {
  EXPECT_EQ(Translate("one <b>two</b> three", Order({0, 2})).html,
            "ONE <b></b>THREE");
  EXPECT_EQ(Translate("one <b>two</b> three", Order({})).html, "<b></b>");
  EXPECT_EQ(Translate("<b>one</b>", Order({-1, -1})).html, "<b>ALSO ALSO</b>");
}

TEST(HtmlText, TakesWholeWordsIfATagIsWithin) {
  const auto one = [](const std::string& text) {
    EXPECT_EQ(text, "underline");
    return Translated{"subrayar", {{{0, 8}, {0, 9}}}};
  };
  EXPECT_EQ(Translate("un<u>der</u>line", one).html, "<u>subrayar</u>");
  // Unless the word is the same.
  const auto same = [](const std::string& text) {
    const auto end = static_cast<uint32_t>(text.size());
    return Translated{text, {{{0, 4}, {0, 4}}, {{4, end}, {4, end}}}};
  };
  EXPECT_EQ(Translate("un<u>der</u>line", same).html, "un<u>der</u>line");
  EXPECT_EQ(Translate("unde<var>x</var>r<var>y</var>line", same).html,
            "unde<var>x</var>r<var>y</var>line");
}

TEST(HtmlText, LeavesAWordWithItsHyphenOutsideOfTheNextElement) {
  const auto tied = [](const std::string& text) {
    EXPECT_EQ(text, "visit it today!");
    return Translated{"visite-o hoje!",
                      {{{0, 6}, {0, 5}},
                       {{6, 7}, {9, 14}},
                       {{7, 8}, {9, 14}},
                       {{9, 13}, {9, 14}},
                       {{13, 14}, {14, 15}}}};
  };
  EXPECT_EQ(Translate("visit it <i>today</i>!", tied).html,
            "visite-o <i>hoje</i>!");
  const auto compound = [](const std::string&) {
    return Translated{"Git-Paket",
                      {{{0, 3}, {0, 3}}, {{3, 4}, {4, 11}}, {{4, 9}, {4, 11}}}};
  };
  EXPECT_EQ(Translate("<b>Git</b> package", compound).html, "<b>Git</b>-Paket");
  EXPECT_EQ(Translate("Git <b>package</b>", compound).html, "Git-<b>Paket</b>");
}

TEST(HtmlText, JoinsTheTokensOfAWord) {
  const auto word = [](const std::string&) {
    return Translated{"rotes Haus",
                      {{{0, 3}, {0, 3}}, {{3, 5}, {4, 9}}, {{6, 10}, {4, 9}}}};
  };
  EXPECT_EQ(Translate("<i>red</i> <b>house</b>", word).html,
            "<i>rotes</i> <b>Haus</b>");
}

TEST(HtmlText, PlacesWhatHasNoText) {
  EXPECT_EQ(UpperOf("one <img src=x> two"), "ONE <img src=x> TWO");
  EXPECT_EQ(UpperOf("one<img src=x> two"), "ONE<img src=x> TWO");
  EXPECT_EQ(UpperOf("one <img src=x>two"), "ONE <img src=x>TWO");
  EXPECT_EQ(UpperOf("<img src=x> one two"), "<img src=x> ONE TWO");
  EXPECT_EQ(UpperOf("one<!-- two --> three."), "ONE<!-- two --> THREE.");
  EXPECT_EQ(UpperOf("<a name=\"x\"></a>one <span><img></span> two"),
            "<a name=\"x\"></a>ONE <span><img></span> TWO");
  EXPECT_EQ(UpperOf("x <a id=\"y\"/>y"), "X <a id=\"y\"/>Y");
}

// The model reads a word in place of what is kept, if it is one to a reader.
TEST(HtmlText, KeepsAPlaceForWhatReadsLikeAWord) {
  const auto text = std::make_unique<HtmlText>(
      SentenceRules{}, [](void*, std::string_view) {}, nullptr);
  text->Push(
      "run <code>a b</code> or <i translate=no>c</i>, "
      "<code> </code> <svg><text>d</text></svg> now");
  text->End();
  HtmlSentence sentence;
  ASSERT_EQ(text->Next(&sentence), HtmlText::Got::kSentence);
  EXPECT_EQ(sentence.text, "run \uFDD0 or \uFDD1,   now");
  ASSERT_EQ(sentence.protected_ranges.size(), 2u);
  EXPECT_EQ(sentence.protected_ranges[0].begin, 4u);
  EXPECT_EQ(sentence.protected_ranges[1].end, 14u);
  // A character of the text that looks like a placeholder stays.
  EXPECT_EQ(UpperOf("a\uFDD0 <code>x</code> \uFDD5 \uFDD0"),
            "A<code>x</code>  \uFDD5 ");
  // A line ends before it.
  EXPECT_EQ(UpperOf("a\n<code>x</code>\n<code>y</code> b"),
            "A <code>x</code> <code>y</code> B");
  EXPECT_EQ(UpperOf("\u4E2D\n<code>x</code>\n\u4E2D"),
            "\u4E2D <code>x</code> \u4E2D");
  // More than there are placeholders are kept, too.
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many += " <code>" + std::to_string(i) + "</code>";
  }
  EXPECT_EQ(UpperOf("a" + many + "."), "A" + many + ".");
}

TEST(HtmlText, LeavesCodeAsItIs) {
  EXPECT_EQ(UpperOf("use <code>a &lt; b</code> to stage."),
            "USE <code>a &lt; b</code> TO STAGE.");
  EXPECT_EQ(UpperOf("see (<kbd>x</kbd>)."), "SEE (<kbd>x</kbd>).");
  EXPECT_EQ(UpperOf("use <code>a <code>b</code> c</code>."),
            "USE <code>a <code>b</code> c</code>.");
  // No words are glued to it.
  EXPECT_EQ(Translate("run <code>x</code>, now", Order({3, 0, 1, 2})).html,
            "NOW RUN <code>x</code>,");
  EXPECT_EQ(Translate("run <b><code>x</code></b> now.", Order({1, 0, 2})).html,
            "<b><code>x</code></b> RUN NOW");
  // Where its placeholder is lost.
  EXPECT_EQ(Translate("run <code>x</code>, now", Order({3, 0, 2})).html,
            "NOW RUN <code>x</code>,");
  EXPECT_EQ(Translate("(<code>x</code>) a b", Order({3, 4})).html,
            "<code>x</code> A B");
  EXPECT_EQ(Translate("run <b><code>x</code></b> now.", Order({0, 3, 2})).html,
            "RUN <b><code>x</code></b>. NOW");
  EXPECT_EQ(Translate("run <b><code>x</code> a</b> now.", Order({0, 3})).html,
            "RUN <b><code>x</code></b> NOW");
  // Or twice in it.
  EXPECT_EQ(Translate("run <code>x</code> now", Order({1, 0, 1, 2})).html,
            "<code>x</code> RUN  NOW");
  // Nor are two of them parted.
  EXPECT_EQ(UpperOf("run <code>x</code><code>y</code> now."),
            "RUN <code>x</code><code>y</code> NOW.");
  EXPECT_EQ(UpperOf("run <code>x</code><b><code>y</code> now</b>."),
            "RUN <code>x</code><b><code>y</code> NOW</b>.");
  EXPECT_EQ(UpperOf("run <code>x</code> <code>y</code>."),
            "RUN <code>x</code> <code>y</code>.");
  EXPECT_EQ(UpperOf("one <span translate=\"no\">two <b>2</b></span> three"),
            "ONE <span translate=\"no\">two <b>2</b></span> THREE");
  EXPECT_EQ(UpperOf("<p class='a notranslate'>one <p>two</p></p><p>three"),
            "<p class='a notranslate'>one <p>two</p></p><p>THREE");
  EXPECT_EQ(UpperOf("<pre>one\n <b>two</b></pre>three"),
            "<pre>one\n <b>two</b></pre>THREE");
  EXPECT_EQ(UpperOf("one <code>two<br>two</code> three"),
            "ONE <code>two<br>two</code> THREE");
  EXPECT_EQ(UpperOf("one (<code>two</code>), three: \"<tt>4</tt>\"."),
            "ONE (<code>two</code>), THREE: \"<tt>4</tt>\".");
  // A browser ends it with the paragraph.
  EXPECT_EQ(UpperOf("<p>one <code>two</p><p>three</p>"),
            "<p>ONE <code>two</p><p>THREE</p>");
}

// Many models would write spaces before their brackets.
TEST(HtmlText, LeavesAnnotationsOfRubyBesideTheirWords) {
  const std::string html =
      "<p>in <ruby>big<rp>(</rp><rt>b <i>i</i></rt><rp>)</rp> "
      "city<rt>c</rt></ruby> now.";
  const Outcome run = Translate(html, Upper);
  EXPECT_THAT(run.sentences, ElementsAre("in big city now."));
  EXPECT_EQ(run.html,
            "<p>IN <ruby>BIG<rp>(</rp><rt>b <i>i</i></rt><rp>)</rp> "
            "CITY<rt>c</rt></ruby> NOW.");
  // End tags may be left out.
  EXPECT_EQ(UpperOf("<ruby>one<rp>(<rt>1<rp>)</ruby> two <ruby>three<rt>3"
                    "</ruby><p>four <ruby>five<rt>5</p>six"),
            "<ruby>ONE<rp>(<rt>1<rp>)</ruby> TWO <ruby>THREE<rt>3"
            "</ruby><p>FOUR <ruby>FIVE<rt>5</p>SIX");
  EXPECT_EQ(UpperOf("<ruby>a<rtc><rt>1</rt></rtc></ruby> b"),
            "<ruby>A<rtc><rt>1</rt></rtc></ruby> B");
}

TEST(HtmlText, LeavesWhatIsNotText) {
  for (const char* html :
       {"<!DOCTYPE html>", "<!-- a <b> -- b -->", "<?xml version=\"1.0\"?>",
        "<script>if (a < b && c > d) x = \"</p>\";</script>",
        "<style>p > b { color: red }</style>", "<textarea>a <b> b</textarea>",
        "<![CDATA[a > b]]>", "<svg><text>one</text></svg>", "</>", "<!>",
        "<!-->", "<?>", "<IMG SRC=x ALT='a > b'>", " \n\t ", "&nbsp;",
        "<td>&nbsp;</td>"}) {
    EXPECT_EQ(UpperOf(html), html);
    EXPECT_EQ(UpperOf("one " + std::string(html)), "ONE " + std::string(html));
  }
}

TEST(HtmlText, EndsSentencesWithBlocks) {
  const Outcome run = Translate(
      "<h1>one two</h1><ul><li>three<li>four</ul>five<br>six <b>seven", Upper);
  EXPECT_EQ(run.html,
            "<h1>ONE TWO</h1><ul><li>THREE<li>FOUR</ul>FIVE<br>SIX <b>SEVEN");
  EXPECT_THAT(run.sentences,
              ElementsAre("one two", "three", "four", "five", "six seven"));
}

TEST(HtmlText, SplitsSentencesAcrossTags) {
  const Outcome run = Translate(
      "It is <b>one. This is</b> two.</b> And <i>three. </i>Four.", Upper);
  EXPECT_THAT(run.sentences,
              ElementsAre("It is one.", "This is two.", "And three.", "Four."));
  EXPECT_EQ(run.html,
            "IT IS <b>ONE. THIS IS</b> TWO.</b> AND <i>THREE. </i>FOUR.");
  const auto swapped = [](const std::string& text) {
    return text == "One." ? Upper(text) : InOrder(text, {1, 0, 2, 3});
  };
  EXPECT_EQ(Translate("<b>One. Two a</b> b.", swapped).html,
            "<b>ONE. A TWO</b> B.");
}

TEST(HtmlText, ReadsAndWritesReferences) {
  const Outcome run = Translate(
      "AT&amp;T &lt;x&gt; &quot;a&quot; &#228;&#xE4;&auml; R&D &foo; a&nbsp;b",
      [](const std::string& text) {
        return Translated{text, {}};
      });
  EXPECT_EQ(run.sentences.at(0),
            "AT&T <x> \"a\" äää R&D  a\xC2\xA0"
            "b");
  EXPECT_NE(run.html.find("AT&amp;T &lt;x&gt; &quot;a&quot; äää R&amp;D"),
            std::string::npos)
      << run.html;
  EXPECT_NE(run.html.find("&foo;"), std::string::npos) << run.html;
  EXPECT_NE(run.html.find("a&nbsp;b"), std::string::npos) << run.html;
}

TEST(HtmlText, ReadsReferencesWithoutSemicolonAsBrowsersDo) {
  const auto same = [](const std::string& in) { return Translated{in, {}}; };
  for (const size_t chunk : {1, 2, 5, 1000}) {
    const Outcome run = Translate(
        "AT&AMPT &copy 2024 &notit; &notin; &#65 &#x41x &ampcopy; R&D &fo &lt",
        same, chunk);
    EXPECT_THAT(run.sentences, ElementsAre("AT&T © 2024 ¬it; ∉ A Ax "
                                           "&copy; R&D &fo <"));
    EXPECT_EQ(run.html,
              "AT&amp;T © 2024 ¬it; ∉ A Ax &amp;copy; "
              "R&amp;D &amp;fo &lt;");
  }
  // A name of HTML 5 that begins with such a name stays as it is.
  EXPECT_THAT(Translate("a &ltimes; b", same).html,
              ::testing::HasSubstr("&ltimes;"));
  EXPECT_EQ(Translate("Q&A one&two", same).html, "Q&A one&two");
}

// As of emoji, which no model reads, and which have no links.
TEST(HtmlText, TagsOfATextThatIsAsItWasStayWhereTheyWere) {
  const auto same = [](const std::string& in) { return Translated{in, {}}; };
  for (const char* html :
       {"<b>\U0001F600</b>&amp;<i>\U0001F600</i>",
        "<b>\U0001F600</b><i>\U0001F44D</i> <u>\u4F60\u597D</u>",
        "\U0001F600<img><a>\U0001F600</a>, <i>\U0001F44D <b>!</b></i>",
        "<b>\u4F60</b>\u597D<i></i> \u4F60<u>\u597D</u>"}) {
    EXPECT_EQ(Translate(html, same).html, html);
  }
}

TEST(HtmlText, ReadsNumbersAsHtmlDoes) {
  const auto read = [](const std::string& html) {
    return Translate("a " + html + " b",
                     [](const std::string& text) {
                       return Translated{text, {}};
                     })
        .html;
  };
  EXPECT_EQ(read("&#xD800;"), "a \uFFFD b");
  EXPECT_EQ(read("&#0;"), "a \uFFFD b");
  EXPECT_EQ(read("&#x110000;"), "a \uFFFD b");
  EXPECT_EQ(read("&#00000000000000000228;"), "a \u00E4 b");
  EXPECT_EQ(read("&#99999999999999;"), "a \uFFFD b");
  EXPECT_EQ(read("&#146;&#x80;"), "a \u2019\u20AC b");
  EXPECT_EQ(read("&#x10FFFF;"), "a \U0010FFFF b");
  // Control characters stay as they are, like unknown names.
  EXPECT_THAT(read("&#1;"), ::testing::StartsWith("a &#1; "));
  EXPECT_THAT(read("&#x81;"), ::testing::StartsWith("a &#x81; "));
}

TEST(HtmlText, WritesTextThatIsReadAsTheSameText) {
  const auto give = [](const std::string& translation) {
    return Translate("<p>one</p>",
                     [&](const std::string&) {
                       return Translated{translation, {}};
                     })
        .html;
  };
  EXPECT_EQ(give("a < b > c & d"), "<p>a < b > c & d</p>");
  EXPECT_EQ(give("<b> &lt; &#1; &x"), "<p>&lt;b> &amp;lt; &amp;#1; &x</p>");
  EXPECT_EQ(give("a<"), "<p>a<</p>");
}

TEST(HtmlText, WithoutMarkupIsPlainText) {
  for (const char* text :
       {"One two. Three 'four' \"five\"!", "a < b, b > a & c; 1 & 2",
        "One.\n\nTwo three\nfour.", "  one  ", "\xFF\xC3 x \xE4", ""}) {
    const auto same = [](const std::string& in) {
      Translated out{in, {}};
      return out;
    };
    std::string expected = text;
    std::replace(expected.begin(), expected.end(), '\n', ' ');
    std::string found = Translate(text, same).html;
    std::replace(found.begin(), found.end(), '\n', ' ');
    EXPECT_EQ(found, expected);
  }
}

TEST(HtmlText, SurvivesBrokenHtml) {
  const auto same = [](const std::string& in) { return Translated{in, {}}; };
  for (const char* html : {"<b><i>one</b> two</i> three",
                           "one</b> two",
                           "<b>one",
                           "one < two",
                           "<",
                           "<a",
                           "<a href=\"x",
                           "one <a href='x",
                           "<!-- one",
                           "<!-",
                           "<![CD",
                           "</",
                           "</b",
                           "one<",
                           "&",
                           "&#",
                           "&#x;",
                           "&am",
                           "<script>one",
                           "<script>one</scrip",
                           "<pre>one",
                           "one <code>two",
                           "<p class=",
                           "<b one two</b>",
                           "<p <p>one</p>",
                           "<b>one</b",
                           "<>one",
                           "<1>one",
                           "<ul><li><b>one</ul></b>",
                           "\xEF\xBB\xBF<p>one"}) {
    EXPECT_EQ(Translate(html, same).html, html);
    EXPECT_EQ(Translate(html, same, 1).html, html);
  }
}

TEST(HtmlText, KeepsNulAndUnicode) {
  constexpr char kHtml[] = "<p>a\0b</p> \xE4\xB8\xAD <b>\xE6\x96\x87</b>";
  const std::string html(kHtml, sizeof(kHtml) - 1);
  const auto same = [](const std::string& in) { return Translated{in, {}}; };
  EXPECT_EQ(Translate(html, same).html, html);
}

// ---- Limits ----

std::string Repeat(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::vector<std::string> TagsOf(const std::string& html) {
  std::vector<std::string> tags;
  for (size_t at = 0; (at = html.find('<', at)) != html.npos;) {
    const size_t end = html.find('>', at);
    if (end == html.npos) break;
    tags.push_back(html.substr(at, end + 1 - at));
    at = end + 1;
  }
  return tags;
}

std::string WithoutTags(const std::string& html) {
  std::string text;
  bool inside = false;
  for (const char c : html) {
    inside = inside || c == '<';
    if (!inside && c != ' ' && c != '\n') text += c;
    inside = inside && c != '>';
  }
  return text;
}

TEST(HtmlText, CutsWhatExceedsItsLimits) {
  const std::string long_value(10000, 'x');
  for (const std::string& html :
       {// A megabyte without a tag, and without a space.
        Repeat("one two ", 131072), std::string(1 << 20, 'x'),
        // Tags in one sentence, tags within tags, and long ones.
        Repeat("<b>one</b> ", 2000),
        Repeat("<b>", 300) + "one" + Repeat("</b>", 300),
        "one <a title='" + long_value + "'>two</a> three <b>four</b>",
        "one <code>" + long_value + "</code> two",
        "one <code>" + Repeat("<i>a</i>", 2000) + "</code> two <b>three</b>",
        "one <!-- " + long_value + " --> two",
        "<script>" + Repeat(long_value, 100) + "</script>one",
        "<pre>" + Repeat("<b>a</b> ", 2000) + "</pre>one",
        "<p>" + std::string(100000, ' ') + "<b>" + std::string(10000, '\n') +
            "one",
        Repeat("&nbsp;", 20000), Repeat("<i> </i>", 5000) + "one"}) {
    for (const size_t chunk : {100000, 777}) {
      const Outcome run = Translate(html, Upper, chunk, 4);
      std::string upper = WithoutTags(html);
      std::string found = WithoutTags(run.html);
      const auto lower = [](std::string& text) {
        for (char& c : text) c = static_cast<char>(tolower(c));
      };
      for (size_t at; (at = upper.find("&nbsp;")) != upper.npos;) {
        upper.replace(at, 6, "\xC2\xA0");
      }
      lower(upper);
      lower(found);
      EXPECT_EQ(found, upper) << html.substr(0, 60);
      auto tags = TagsOf(html);
      auto found_tags = TagsOf(run.html);
      std::ranges::sort(tags);
      std::ranges::sort(found_tags);
      EXPECT_EQ(found_tags == tags, true) << html.substr(0, 60);
    }
  }
}

TEST(HtmlText, RetranslatesWhatFoundNoRoom) {
  // Translations that are far longer than their sentences.
  const auto longer = [](const std::string& text) {
    return Translated{text + " " + std::string(3000, 'x'), {}};
  };
  std::string html;
  for (int i = 0; i < 50; ++i) html += "<p>" + std::to_string(i) + "</p>";
  const Outcome one = Translate(html, longer, 100, 1);
  const Outcome many = Translate(html, longer, 100, 16, 7);
  EXPECT_EQ(many.html, one.html);
  EXPECT_GT(many.sentences.size(), one.sentences.size());
}

// ---- Random trees ----

class RandomHtml {
 public:
  // If `spaced`, no tag is within a word.
  explicit RandomHtml(uint32_t seed, bool spaced = false)
      : random_(seed), spaced_(spaced) {}

  std::string Make() {
    html_.clear();
    number_ = 0;
    const size_t blocks = 1 + random_() % 4;
    for (size_t i = 0; i < blocks; ++i) {
      html_ += "<p>";
      Content(0);
      html_ += "</p>\n";
    }
    return html_;
  }

 private:
  void Content(int depth) {
    const size_t parts = random_() % 6;
    for (size_t i = 0; i < parts; ++i) {
      switch (random_() % (depth < 5 ? 6 : 3)) {
        case 0:
          html_ += "<img id=" + std::to_string(number_++) + ">";
          break;
        case 1:
        case 2:
          html_ += Word();
          break;
        case 3:
          html_ += "<code id=" + std::to_string(number_++) + ">x y</code>";
          break;
        default: {
          const char* name = random_() % 2 == 0 ? "b" : "i";
          html_ += std::string("<") + name +
                   " id=" + std::to_string(number_++) + ">";
          Content(depth + 1);
          html_ += std::string("</") + name + ">";
        }
      }
      if (random_() % 2 == 0 || spaced_) html_ += ' ';
    }
  }

  std::string Word() {
    const char* words[] = {"one", "two ", "three. ", "Four", " five, ",
                           "six", "&lt;", "&amp; ",  "1.2",  "Seven! "};
    return words[random_() % std::size(words)];
  }

  std::mt19937 random_;
  bool spaced_;
  std::string html_;
  int number_ = 0;
};

// For each element, by its number: the one that it is in.
std::map<std::string, std::string> ParentsOf(const std::string& html) {
  std::map<std::string, std::string> parents;
  std::vector<std::string> open;
  for (const std::string& tag : TagsOf(html)) {
    if (tag[1] == '/') {
      EXPECT_FALSE(open.empty());
      if (open.empty()) break;
      EXPECT_EQ(open.back()[1], tag[2]) << html;
      open.pop_back();
      continue;
    }
    if (tag != "<p>") {
      EXPECT_FALSE(parents.contains(tag)) << html;
      parents[tag] = open.empty() ? "" : open.back();
    }
    if (!tag.starts_with("<img")) open.push_back(tag);
  }
  EXPECT_TRUE(open.empty()) << html;
  return parents;
}

TEST(HtmlText, KeepsRandomTreesWhateverTheTranslation) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const std::string html = RandomHtml(seed).Make();
    std::mt19937 random(seed);
    const TranslateWords any = [&](const std::string& text) {
      // The same for the same text, whatever the order of the calls.
      std::mt19937 own(seed +
                       static_cast<uint32_t>(std::hash<std::string>()(text)));
      const Words words = WordsOf(text);
      std::vector<int> order(own() % (words.texts.size() + 3));
      for (int& i : order) {
        i = static_cast<int>(own() % (words.texts.size() + 1)) - 1;
      }
      Translated out = InOrder(text, order);
      if (own() % 5 == 0) out.links.clear();
      return out;
    };
    const Outcome run = Translate(html, any);
    EXPECT_EQ(ParentsOf(run.html), ParentsOf(html)) << html << "\n" << run.html;
    const size_t lanes = 1 + random() % 8;
    EXPECT_EQ(Translate(html, any, 0, lanes, seed).html, run.html) << html;
    const Outcome cut = Translate(html, any, 0, lanes, seed, 1 + random() % 10);
    EXPECT_EQ(ParentsOf(cut.html), ParentsOf(html)) << html << "\n" << cut.html;
    if (HasFailure()) break;
  }
}

TEST(HtmlText, KeepsPlacesIfNothingMoves) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const std::string html = RandomHtml(seed, /*spaced=*/true).Make();
    const auto same = [](const std::string& text) {
      Translated out{text, {}};
      for (const TextRange& range : WordsOf(text).ranges) {
        out.links.push_back({range, range});
      }
      return out;
    };
    const Outcome run = Translate(html, same);
    EXPECT_EQ(WithoutTags(run.html), WithoutTags(html)) << html;
    EXPECT_EQ(ParentsOf(run.html), ParentsOf(html)) << html << "\n" << run.html;
    if (HasFailure()) break;
  }
}

TEST(HtmlText, TimeGrowsWithThePage) {
  const auto as_it_is = [](const std::string& text) {
    return Translated{text, {}};
  };
  for (const char* text :
       {"<",        "<b>",         "</b>",   "<b>a</b> ", "<p>",   "<a b=",
        "<a ",      "<!--",        "<!",     "&",         "&#",    "&am",
        "&amp;",    "a ",          "a. ",    "<td>",      "<br>",  "\"",
        "<script>", "<ruby>a<rt>", "<code>", "<pre>",     "\n",    "<a href='",
        "<svg>",    "<i><b>",      "</",     "<b>a",      "a</b>", "<?",
        "-->",      "<![CDATA[",   "\xC3",   "&notit;"}) {
    SCOPED_TRACE(text);
    ExpectLinear(
        5000, [&](size_t n) { return Repeated(text, n); },
        [&](const std::string& html) {
          (void)Translate(html, as_it_is, 1000);
          (void)Translate(html, as_it_is, 100000, 8);
        });
  }
}

}  // namespace latimer::html_text_test
